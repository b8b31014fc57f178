import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** SHA-256 of UTF-8 text as 64 hex digits. Synchronous: WebCrypto is asynchronous and not everywhere. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
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
