import type { SpanKindName, StatusName } from "../model/span.ts";
import { kindOfName, kindOfNumber, statusOfName, statusOfNumber } from "./names.ts";
import { isObject } from "./otlp-values.ts";

const HEX = "0123456789abcdef";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A moment in whole seconds and nanoseconds within the second. */
export interface Moment {
  readonly s: number;
  readonly n: number;
}

/**
 * An id of `bytes` bytes as lower-case hex. OTLP/JSON writes hex in either case; generic protobuf writers write
 * base64. Undefined for anything else, and for the all-zero id, which is none.
 */
export function hexId(value: unknown, bytes: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const hex = value.length === bytes * 2 ? lowerHex(value) : fromBase64(value, bytes);
  return hex === undefined || isZero(hex) ? undefined : hex;
}

/** True for the ways in which "no parent" is written. */
export function isNoId(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (typeof value === "string" && isZero(value));
}

/** Nanoseconds since the epoch as text, number, bigint, or a pair of 32-bit halves. Zero is no time. */
export function moment(value: unknown): Moment | undefined {
  const digits = digitsOf(value);
  if (digits === undefined || isZero(digits)) return undefined;
  if (digits.length <= 9) return { s: 0, n: Number(digits) };
  return { s: Number(digits.slice(0, -9)), n: Number(digits.slice(-9)) };
}

/** OTLP span kind: number (0 unspecified, 1 INTERNAL … 5 CONSUMER) or name. */
export function otlpKind(value: unknown): SpanKindName {
  const kind = typeof value === "string" ? kindOfName(value) : kindOfNumber(Number(value) - 1);
  return kind ?? "INTERNAL";
}

/** OTLP status: its code as number or name. */
export function otlpStatus(value: unknown): StatusName {
  const code = isObject(value) ? value.code : value;
  return (typeof code === "string" ? statusOfName(code) : statusOfNumber(code)) ?? "UNSET";
}

function lowerHex(value: string): string | undefined {
  const lower = value.toLowerCase();
  for (const digit of lower) if (!HEX.includes(digit)) return undefined;
  return lower;
}

function fromBase64(value: string, bytes: number): string | undefined {
  const text = value.replaceAll("=", "").replaceAll("-", "+").replaceAll("_", "/");
  if (text.length !== Math.ceil((bytes * 4) / 3)) return undefined;
  let bits = 0n;
  for (const letter of text) {
    const index = BASE64.indexOf(letter);
    if (index === -1) return undefined;
    bits = (bits << 6n) | BigInt(index);
  }
  // The last letter carries bits beyond the last byte.
  const rest = BigInt(text.length * 6 - bytes * 8);
  return (bits >> rest).toString(16).padStart(bytes * 2, "0");
}

function digitsOf(value: unknown): string | undefined {
  if (typeof value === "bigint") return value >= 0n ? value.toString() : undefined;
  if (typeof value === "number")
    return Number.isFinite(value) && value >= 0 ? BigInt(Math.round(value)).toString() : undefined;
  if (isObject(value) && typeof value.low === "number" && typeof value.high === "number") {
    return ((BigInt(value.high >>> 0) << 32n) | BigInt(value.low >>> 0)).toString();
  }
  if (typeof value !== "string" || value === "" || value.length > 20) return undefined;
  for (const digit of value) if (digit < "0" || digit > "9") return undefined;
  return value;
}

function isZero(digits: string): boolean {
  for (const digit of digits) if (digit !== "0") return false;
  return true;
}
