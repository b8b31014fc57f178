import type { IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";
import { type Answer, BUSY, retryLater } from "./answers.ts";
import type { ServeLimits } from "./options.ts";
import type { Slot } from "./slots.ts";

/** How many bytes of bodies are being received, of all requests. */
export class PendingBytes {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** False when that is too much; then nothing is taken. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#max) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

/** What came of a body: the body, why it is refused, or nothing, as its sender has gone away. */
export type ReadBody = Buffer | Answer | undefined;

/**
 * Receives a body of at most `maxRequestBytes`. As soon as it is longer than that, or all bodies together are longer than
 * what is left in `pending`, or its slot is wanted, it is refused and what has come of it is let go.
 */
export function readBody(
  request: IncomingMessage,
  pending: PendingBytes,
  maxBytes: number,
  slot: Slot,
): Promise<ReadBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (body: ReadBody): void => {
      request.off("data", take).off("end", end).off("close", gone);
      slot.received();
      chunks.length = 0;
      pending.give(bytes);
      bytes = 0;
      resolve(body);
    };
    const take = (chunk: Buffer): void => {
      if (bytes + chunk.length > maxBytes) settle(tooLarge(maxBytes));
      else if (pending.take(chunk.length)) {
        bytes += chunk.length;
        chunks.push(chunk);
      } else settle(TOO_MANY_BYTES);
    };
    const end = (): void => settle(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes));
    const gone = (): void => settle(undefined);
    // A broken connection says so by `error` and `close`; without a listener the former would end the process.
    request.on("error", gone);
    request.on("data", take).on("end", end).on("close", gone);
    slot.receiving(() => settle(BUSY));
  });
}

const TOO_MANY_BYTES: Answer = retryLater(429, "too many bytes are being received");

/** The refusal of a body that is longer than it may be. */
export function tooLarge(maxBytes: number): Answer {
  return { status: 413, message: `the body is longer than ${maxBytes} bytes` };
}

/**
 * Undoes the `content-encoding` that was checked before. Inflating stops at the limit, so that a small body cannot take
 * much memory; it is done at once, so that there is one inflated body at a time.
 */
export function inflate(body: Buffer, gzip: boolean, { maxInflatedBytes }: ServeLimits): Buffer | Answer {
  if (!gzip) return body.length > maxInflatedBytes ? tooLarge(maxInflatedBytes) : body;
  try {
    return gunzipSync(body, { maxOutputLength: maxInflatedBytes });
  } catch (error) {
    const tooLong = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    if (tooLong) return { status: 413, message: `the body is longer than ${maxInflatedBytes} bytes once decompressed` };
    return { status: 400, message: "the body is not gzip, or ends too early" };
  }
}
