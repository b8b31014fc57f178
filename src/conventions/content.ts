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

/** What each value within nested content counts for, besides its text: a list of empty texts is not for nothing. */
const NODE_BYTES = 16;

/** How deep nested content is copied; JSON decoding has the same limit. */
const MAX_DEPTH = 64;

/** Stands for a value that was recorded and is not held: it is too long, or nobody reads it. */
export const NOT_HELD: object = Object.freeze({});

/** Longest text that is held of an attribute whose content nobody reads. */
const SHORT_TEXT = 1_024;
/** Most members of a list that is held of such an attribute. */
const SHORT_LIST = 16;

/** Lists and members of objects that are copied of one span in the host's `span.end()`: engines that give up on the code take a microsecond for each. */
const MAX_NODES = 512;

/** What may be held of the values of one span. */
export class Allowance {
  /** Longest content of one attribute. */
  readonly max_bytes: number;
  /** Lists and members of objects that may still be copied. */
  nodes: number = MAX_NODES;

  constructor(maxBytes: number) {
    this.max_bytes = maxBytes;
  }

  /** The next span. */
  renew(): void {
    this.nodes = MAX_NODES;
  }
}

/**
 * What is held of an attribute's value until its span is read: what a {@link KeepContent} with the same limit would make
 * of it then is the same, as long as the allowance lasts.
 */
export function heldValue(value: unknown, content: boolean, allowance: Allowance): unknown {
  // Names and ids are short whatever the limit of content.
  if (typeof value === "string") {
    return value.length <= SHORT_TEXT || (content && value.length <= allowance.max_bytes) ? value : NOT_HELD;
  }
  if (typeof value !== "object" || value === null) return typeof value === "function" ? undefined : value;
  if (isShortList(value)) return value.slice();
  if (!content) return NOT_HELD;
  try {
    return copyWithin(value, allowance.max_bytes, allowance);
  } catch {
    return NOT_HELD;
  }
}

/** Estimated bytes of a held value, its place in a list included. */
export function bytesHeld(value: unknown): number {
  if (typeof value === "string") return 8 + value.length * 2;
  return typeof value === "object" && value !== null ? 256 : 8;
}

/** A list of a few numbers, truth values and short texts, as most lists on spans are. */
function isShortList(value: object): value is unknown[] {
  if (!Array.isArray(value) || value.length > SHORT_LIST) return false;
  for (let index = 0; index < value.length; index += 1) {
    const member: unknown = value[index];
    if (typeof member === "string" ? member.length > SHORT_TEXT : Object(member) === member) return false;
  }
  return true;
}

/** Copies content of at most `maxBytes`. Nested values are copied since their owner may change them later. */
export function contentKeeper(maxBytes: number): KeepContent {
  return (value) => {
    if (value === undefined || value === null || value === "" || isRedacted(value)) return undefined;
    if (typeof value === "string") return fits(value, maxBytes) ? { value, cut: false } : CUT;
    if (value === NOT_HELD) return CUT;
    if (typeof value !== "object") return { value, cut: false };
    try {
      return { value: copyWithin(value, maxBytes, { nodes: Number.POSITIVE_INFINITY }), cut: false };
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

/** Throws when the value is larger or deeper than allowed; a cycle is too deep. Takes what it copies off `allowance`. */
function copyWithin(value: object, maxBytes: number, allowance: Pick<Allowance, "nodes">): unknown {
  let left = maxBytes;
  const spend = (bytes: number): void => {
    left -= bytes;
    if (left < 0) throw new RangeError("content too large");
  };
  /** Lists and objects are turned down by their size, before they are copied as a whole. */
  const count = (nodes: number, members: number): void => {
    allowance.nodes -= nodes;
    if (allowance.nodes < 0) throw new RangeError("too much to copy");
    if (members * NODE_BYTES > left) throw new RangeError("content too large");
  };
  const copy = (item: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new RangeError("content too deep");
    spend(typeof item === "string" ? NODE_BYTES + item.length : NODE_BYTES);
    if (item === null || typeof item !== "object") return typeof item === "function" ? undefined : item;
    if (Array.isArray(item)) {
      count(1, item.length);
      return Array.from(item, (member) => copy(member, depth + 1));
    }
    if (ArrayBuffer.isView(item)) return undefined;
    const keys = Object.keys(item);
    count(keys.length, keys.length);
    spend(keys.length);
    // Engines copy and list an object as a whole many times faster than key by key; `__proto__` stays a plain key in it.
    const out: Record<string, unknown> = { ...item };
    const members = Object.values(out);
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] as string;
      spend(key.length);
      const kept = copy(members[index], depth + 1);
      if (kept !== members[index]) out[key] = kept;
    }
    return out;
  };
  return copy(value, 0);
}
