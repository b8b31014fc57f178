import type { AddressInfo } from "node:net";

/** The URL of a server that listens there. */
export function urlOf({ address, family, port }: AddressInfo, tls: boolean): string {
  return `${tls ? "https" : "http"}://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** Whether nobody outside of this machine reaches the address. */
export function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}
