import type { Content } from "../model/span.ts";
import type { KeepContent } from "./convention.ts";

/** Texts that stand where content was taken out. */
const REDACTED: ReadonlySet<string> = new Set([
  "__REDACTED__",
  "[REDACTED]",
  "<REDACTED>",
  "REDACTED",
  "[redacted]",
  "<redacted>",
  "<masked>",
  "***",
]);

/** True for a text that says that content was taken out. */
export function isRedacted(value: unknown): boolean {
  return typeof value === "string" && value.length <= 12 && REDACTED.has(value);
}

/** Content that was too long: it can never be parsed, so none of it is held. */
const CUT: Content = Object.freeze({ value: undefined, cut: true });

/** How deep nested content is copied; JSON decoding has the same limit. */
const MAX_DEPTH = 64;

/** Copies content of at most `maxBytes`. Nested values are copied since their owner may change them later. */
export function contentKeeper(maxBytes: number): KeepContent {
  return (value) => {
    if (value === undefined || value === null || value === "" || isRedacted(value)) return undefined;
    if (typeof value === "string") return fits(value, maxBytes) ? { value, cut: false } : CUT;
    if (typeof value !== "object") return { value, cut: false };
    try {
      return { value: copyWithin(value, maxBytes), cut: false };
    } catch {
      return CUT;
    }
  };
}

/** Estimated bytes that content occupies. */
export function bytesOf(content: Content | undefined): number {
  if (content === undefined || content.cut) return 0;
  return typeof content.value === "string" ? content.value.length * 2 : 256;
}

/** Whether the text has at most `limit` bytes in UTF-8; counts only where its length leaves that open. */
function fits(value: string, limit: number): boolean {
  if (value.length > limit) return false;
  if (value.length * 3 <= limit) return true;
  let bytes = 0;
  for (let at = 0; at < value.length; at += 1) {
    const unit = value.charCodeAt(at);
    // A surrogate pair has four bytes in all: two for each half.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes <= limit;
}

/** Throws when the value is larger or deeper than allowed; a cycle is too deep. */
function copyWithin(value: object, maxBytes: number): unknown {
  let left = maxBytes;
  const spend = (bytes: number): void => {
    left -= bytes;
    if (left < 0) throw new RangeError("content too large");
  };
  const copy = (item: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new RangeError("content too deep");
    if (typeof item === "string") spend(item.length);
    else spend(8);
    if (item === null || typeof item !== "object") return typeof item === "function" ? undefined : item;
    if (Array.isArray(item)) return Array.from(item, (member) => copy(member, depth + 1));
    if (ArrayBuffer.isView(item)) return undefined;
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(item)) {
      spend(key.length);
      const member = copy((item as Record<string, unknown>)[key], depth + 1);
      if (key === "__proto__") Object.defineProperty(out, key, { value: member, enumerable: true });
      else out[key] = member;
    }
    return out;
  };
  return copy(value, 0);
}
