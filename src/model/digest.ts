import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** SHA-256 of UTF-8 text as 64 hex digits. Synchronous: WebCrypto is asynchronous and not everywhere. */
export function sha256Hex(text: string): string {
  return hostHash === undefined ? portableSha256Hex(text) : hostHash("sha256", text, "hex");
}

/** The same where the language is all there is. */
export function portableSha256Hex(text: string): string {
  return bytesToHex(sha256(hasEncoder() ? utf8ToBytes(text) : utf8Of(text)));
}

type Hash = (algorithm: "sha256", text: string, encoding: "hex") => string;

/** Node's own, several times as fast; asked for at run time, since nothing here may import it. */
function hashOfHost(): Hash | undefined {
  try {
    const { process } = globalThis as { process?: { getBuiltinModule?(id: string): { hash?: Hash } | undefined } };
    const hash = process?.getBuiltinModule?.("node:crypto")?.hash;
    return hash?.("sha256", "", "hex").length === 64 ? hash : undefined;
  } catch {
    return undefined;
  }
}

const hostHash: Hash | undefined = hashOfHost();

function hasEncoder(): boolean {
  return (globalThis as { TextEncoder?: unknown }).TextEncoder !== undefined;
}

/** UTF-8 where the language is all there is, as `TextEncoder` writes it: half of a pair becomes U+FFFD. */
export function utf8Of(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) as number;
    const code = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  }
  return Uint8Array.from(bytes);
}

/** JSON with sorted keys, so that equal values have equal text. `undefined` members are left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value, 0)) ?? "null";
}

/** SHA-256 over {@link canonicalJson}, as 64 hex digits. */
export function digestOf(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

const MAX_DEPTH = 200;

function sorted(value: unknown, depth: number): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value === null || typeof value !== "object") return value;
  if (depth > MAX_DEPTH) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1));
  // A null prototype keeps keys such as `__proto__` plain data.
  const out: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) out[key] = sorted((value as Record<string, unknown>)[key], depth + 1);
  return out;
}
