import type { SpanKindName, StatusName } from "../model/span.ts";
import { kindOfName, kindOfNumber, statusOfName, statusOfNumber } from "./names.ts";
import { isObject } from "./otlp-values.ts";

export const BASE64: string = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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
  if (digits === undefined || digits === "") return undefined;
  const seconds = digits.length - 9;
  let s = 0;
  let n = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    if (index < seconds) s = s * 10 + digit;
    else n = n * 10 + digit;
  }
  return s === 0 && n === 0 ? undefined : { s, n };
}

const ZERO = 0x30;

/** A number as such or as text; anything else is none. Lists are not converted: deeply nested ones exhaust the stack. */
export function numberOf(value: unknown): number {
  return typeof value === "object" ? Number.NaN : Number(value);
}

/** OTLP span kind: number (0 unspecified, 1 INTERNAL … 5 CONSUMER) or name. */
export function otlpKind(value: unknown): SpanKindName {
  const kind = typeof value === "string" ? kindOfName(value) : kindOfNumber(numberOf(value) - 1);
  return kind ?? "INTERNAL";
}

/** OTLP status: its code as number or name. */
export function otlpStatus(value: unknown): StatusName {
  const code = isObject(value) ? value.code : value;
  return (typeof code === "string" ? statusOfName(code) : statusOfNumber(code)) ?? "UNSET";
}

function lowerHex(value: string): string | undefined {
  let upper = false;
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if ((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66)) continue;
    if (code < 0x41 || code > 0x46) return undefined;
    upper = true;
  }
  return upper ? value.toLowerCase() : value;
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
  if (typeof value === "string") return value.length > 20 ? undefined : value;
  if (typeof value === "bigint") return value >= 0n ? value.toString() : undefined;
  if (typeof value === "number")
    return Number.isFinite(value) && value >= 0 ? BigInt(Math.round(value)).toString() : undefined;
  if (isObject(value) && typeof value.low === "number" && typeof value.high === "number") {
    return ((BigInt(value.high >>> 0) << 32n) | BigInt(value.low >>> 0)).toString();
  }
  return undefined;
}

function isZero(digits: string): boolean {
  for (let index = 0; index < digits.length; index += 1) if (digits.charCodeAt(index) !== ZERO) return false;
  return true;
}
