/** How a request is written, and its answer too. */
export type Encoding = "json" | "protobuf";

/** What a sender is told. */
export interface Answer {
  readonly status: number;
  /** What is wrong, for people; never part of a full success. */
  readonly message?: string | undefined;
  /** Status 200 only: spans that were not taken. */
  readonly rejected?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Everything was taken. */
export const TAKEN: Answer = Object.freeze({ status: 200 });

/** How long a sender waits before it tries again, in seconds. OTLP exporters give up after ten. */
const RETRY_AFTER_SECONDS = "1";

/** The sender may try again later, and is told when. */
export function retryLater(status: 429 | 503, message: string): Answer {
  return { status, message, headers: { "retry-after": RETRY_AFTER_SECONDS } };
}

/** The answer to one request too many, and to one that gives way to another. */
export const BUSY: Answer = retryLater(429, "too many requests are under way");

/** The part of a protobuf library that writes. */
export interface ProtobufWriter {
  uint32(value: number): ProtobufWriter;
  int64(value: number): ProtobufWriter;
  string(value: string): ProtobufWriter;
  fork(): ProtobufWriter;
  ldelim(): ProtobufWriter;
  finish(): Uint8Array;
}

/** Media types of OTLP/HTTP. */
export const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  json: "application/json",
  protobuf: "application/x-protobuf",
};

/** The encoding that a `content-type` names; undefined for any other. */
export function encodingOf(contentType: string | undefined): Encoding | undefined {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type === MEDIA_TYPES.json) return "json";
  return type === MEDIA_TYPES.protobuf || type === "application/protobuf" ? "protobuf" : undefined;
}

/**
 * The body of an answer: an ExportTraceServiceResponse for success, whole or partial, else a google.rpc.Status with a
 * message alone, as OTLP/HTTP has it.
 */
export function bodyOf(answer: Answer, encoding: Encoding, newWriter: () => ProtobufWriter): Uint8Array | string {
  const { status, message = "", rejected = 0 } = answer;
  const partial = rejected > 0 || message !== "";
  if (encoding === "json") {
    if (status !== 200) return JSON.stringify({ message });
    // 64-bit numbers are text in protobuf's JSON.
    return partial ? JSON.stringify({ partialSuccess: { rejectedSpans: `${rejected}`, errorMessage: message } }) : "{}";
  }
  const writer = newWriter();
  if (status !== 200) return writer.uint32(tag(2, LENGTH)).string(message).finish();
  if (partial) {
    writer.uint32(tag(1, LENGTH)).fork();
    writer.uint32(tag(1, VARINT)).int64(rejected).uint32(tag(2, LENGTH)).string(message).ldelim();
  }
  return writer.finish();
}

/**
 * A google.rpc.Status with a google.rpc.RetryInfo in its details: how a gRPC sender is told when to try again.
 */
export function statusDetails(
  code: number,
  message: string,
  retrySeconds: number,
  newWriter: () => ProtobufWriter,
): Uint8Array {
  const writer = newWriter();
  writer.uint32(tag(1, VARINT)).uint32(code).uint32(tag(2, LENGTH)).string(message);
  writer.uint32(tag(3, LENGTH)).fork();
  writer.uint32(tag(1, LENGTH)).string("type.googleapis.com/google.rpc.RetryInfo");
  writer.uint32(tag(2, LENGTH)).fork();
  writer.uint32(tag(1, LENGTH)).fork().uint32(tag(1, VARINT)).uint32(retrySeconds).ldelim();
  return writer.ldelim().ldelim().finish();
}

const VARINT = 0;
const LENGTH = 2;

function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}
