import { readFileSync } from "node:fs";
import protobuf from "protobufjs";

/** OTLP by its own description, so that what tests write and read owes nothing to the code under test. */
const schema = protobuf.parse(readFileSync(new URL("otlp.proto", import.meta.url), "utf8")).root;
const typeOf = (name: string): protobuf.Type => schema.lookupType(`otlp.${name}`);

/** One trace request of OTLP/JSON in protobuf. */
export function protobufOf(request: unknown): Buffer {
  const type = typeOf("ExportTraceServiceRequest");
  return Buffer.from(type.encode(type.fromObject(withBytes(request) as object)).finish());
}

/** A protobuf message as a plain object; 64-bit numbers are text. */
export function decoded(name: string, body: Uint8Array): Record<string, unknown> {
  const type = typeOf(name);
  return type.toObject(type.decode(body), { longs: String, bytes: String }) as Record<string, unknown>;
}

const ID_KEYS = new Set(["traceId", "spanId", "parentSpanId"]);

/** JSON has ids as hex, which the description does not know of, and bytes as base64, which it does. */
function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      ID_KEYS.has(key) && typeof member === "string" ? Buffer.from(member, "hex") : withBytes(member),
    ]),
  );
}
