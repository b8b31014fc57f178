import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A real OTLP/HTTP receiver for JSON on the loopback address; keeps every request body by path. */
export interface OtlpReceiver {
  readonly url: string;
  /** Bodies that arrived at a path such as `/v1/traces`, in order. */
  bodies(path: string): readonly string[];
  stop(): Promise<void>;
}

/** Starts a receiver on a free port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: { readonly path: string; readonly body: string }[] = [];
  const server: Server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      received.push({ path: request.url ?? "", body });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies: (path) => received.filter((request) => request.path === path).map((request) => request.body),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
