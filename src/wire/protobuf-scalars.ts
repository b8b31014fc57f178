import { BASE64, type Moment } from "./otlp-scalars.ts";

/**
 * A reader of protobuf's wire format, as protobufjs has one. It throws where a field goes beyond the end of the buffer.
 */
export interface ProtobufReader {
  readonly buf: Uint8Array;
  readonly len: number;
  /** Where the next field begins. */
  pos: number;
  /** A varint; of a longer one the lower 32 bits. */
  uint32(): number;
  fixed32(): number;
  double(): number;
  string(): string;
  /** Goes past a field of that wire type. */
  skipType(wireType: number): unknown;
}

/** Reads the length of what comes now, and gives where that ends. @throws Error beyond the end of the buffer */
export function end(reader: ProtobufReader): number {
  const length = reader.uint32();
  const to = reader.pos + length;
  if (to > reader.len) throw new RangeError(`a field of ${length} bytes goes beyond the end`);
  return to;
}

const HEX = "0123456789abcdef";

/** Bytes as lower-case hex; undefined where all are zero. */
export function hexBytes(bytes: Uint8Array, from: number, to: number): string | undefined {
  let hex = "";
  let any = 0;
  for (let index = from; index < to; index += 1) {
    const byte = bytes[index] as number;
    any |= byte;
    hex += HEX[byte >>> 4] as string;
    hex += HEX[byte & 15] as string;
  }
  return any === 0 ? undefined : hex;
}

const BILLION = 1_000_000_000;
/** 2^32 nanoseconds are 4 seconds and so many nanoseconds. */
const NANOS_OF_HIGH = 294_967_296;

/**
 * A fixed64 of nanoseconds since the epoch; zero is no time. In parts that a number holds exactly: big integers take
 * several times as long.
 */
export function nanoseconds(reader: ProtobufReader): Moment | undefined {
  const low = reader.fixed32();
  const high = reader.fixed32();
  if (low === 0 && high === 0) return undefined;
  const part = (high >>> 16) * NANOS_OF_HIGH;
  const rest = (part % BILLION) * 65_536 + (high & 0xffff) * NANOS_OF_HIGH + low;
  return {
    s: high * 4 + Math.floor(part / BILLION) * 65_536 + Math.floor(rest / BILLION),
    n: rest % BILLION,
  };
}

/** A signed 64-bit varint: a number where that is exact, else decimal text, as OTLP/JSON has it. */
export function integer64(reader: ProtobufReader): number | string {
  const { buf, len } = reader;
  let low = 0;
  let high = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    if (reader.pos >= len) throw new RangeError("a number goes beyond the end");
    const byte = buf[reader.pos] as number;
    reader.pos += 1;
    const bits = byte & 0x7f;
    if (shift < 28) low |= bits << shift;
    else if (shift === 28) {
      low |= bits << 28;
      high |= bits >>> 4;
    } else high |= bits << (shift - 32);
    if (byte < 0x80) {
      const value = high * 0x1_0000_0000 + (low >>> 0);
      return Number.isSafeInteger(value) ? value : ((BigInt(high) << 32n) | BigInt(low >>> 0)).toString();
    }
  }
  throw new RangeError("a number is longer than 10 bytes");
}

/** Bytes as base64, as OTLP/JSON has them. */
export function textOfBytes(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let index = from; index < to; index += 3) {
    const left = Math.min(3, to - index);
    const word =
      ((bytes[index] as number) << 16) |
      (left > 1 ? (bytes[index + 1] as number) << 8 : 0) |
      (left > 2 ? (bytes[index + 2] as number) : 0);
    for (let place = 0; place < 4; place += 1) {
      text += place > left ? "=" : (BASE64[(word >>> (18 - place * 6)) & 63] as string);
    }
  }
  return text;
}
