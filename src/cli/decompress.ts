import { finished } from "node:stream/promises";
import { createGunzip, gunzipSync } from "node:zlib";
import { messageOf } from "../model/errors.ts";
import { loadOptional } from "./optional-package.ts";

/** How bytes are compressed. */
export type Compression = "gzip" | "zstd";

/** Compressed bytes that are broken, or end too early. */
export class BrokenCompression extends Error {}

/** Bytes that tell compressions apart. */
export const MAGIC_BYTES = 4;

/** By how bytes start, how they are compressed; undefined where they are not. */
export function compressionOf(head: Uint8Array): Compression | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  return head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd ? "zstd" : undefined;
}

/**
 * The content of a stream that may be compressed as a whole; of several compressed streams one after the other, the
 * content of all.
 *
 * @throws BrokenCompression (rejects) where what is compressed cannot be read, after all that could be
 * @throws UsageError (rejects) where a package is missing
 */
export async function* decompressed(
  stream: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string, void> {
  const chunks = stream[Symbol.asyncIterator]();
  const head: Buffer[] = [];
  let bytes = 0;
  let done = false;
  while (bytes < MAGIC_BYTES && !done) {
    const next = await chunks.next();
    done = next.done === true;
    if (next.done !== true) {
      // A copy: the memory of a chunk is used again for the next one.
      head.push(Buffer.from(next.value as Uint8Array));
      bytes += next.value.length;
    }
  }
  async function* whole(): AsyncGenerator<Uint8Array | string, void> {
    yield* head;
    if (!done) yield* { [Symbol.asyncIterator]: () => chunks };
  }
  const compression = compressionOf(Buffer.concat(head));
  if (compression === "gzip") yield* gunzipped(whole());
  else if (compression === "zstd") yield* unzstandard(whole());
  else yield* whole();
}

/**
 * Bytes that are written at once, from so many on: they may hold a thousand times as much, which comes out at once; and
 * where one of them is broken, or no gzip, nothing comes out of the others. Small at first, since short files are broken too.
 */
const GZIP_SLICES: readonly (readonly [from: number, bytes: number])[] = [
  [1_048_576, 65_536],
  [16_384, 4_096],
  [2_048, 256],
  [0, 16],
];

/** A stream that fails drops what nobody has taken from it yet: so it is taken as it comes out. */
async function* gunzipped(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const ready: Buffer[] = [];
  gunzip.on("data", (chunk: Buffer) => ready.push(chunk));
  let done = 0;
  // A write that fails is never answered.
  let fail = (_error: Error): void => undefined;
  gunzip.on("error", (error) => fail(error));
  const written = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      fail = reject;
      gunzip.write(bytes, () => resolve());
    });
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk as Uint8Array);
      for (let at = 0; at < bytes.length; ) {
        const slice = bytes.subarray(at, at + sliceBytes(done));
        await written(slice);
        yield* ready.splice(0);
        at += slice.length;
        done += slice.length;
      }
    }
    await finished(gunzip.end());
    yield* ready;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith("Z_")) throw error;
    yield* ready;
    throw new BrokenCompression(`gzip: ${messageOf(error)}`);
  } finally {
    gunzip.destroy();
  }
}

function sliceBytes(done: number): number {
  return GZIP_SLICES.find(([from]) => done >= from)?.[1] as number;
}

/** Four bytes may hold 128 KiB, and what is pushed at once comes out at once. */
const ZSTD_SLICE_BYTES = 1_024;

/**
 * By a library in every runtime: Node's own decompressor, where it has one, passes over everything after the first of
 * several frames, and over an early end, without a word.
 */
async function* unzstandard(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  const { Decompress } = await loadZstd();
  let ready: Uint8Array[] = [];
  const zstd = new Decompress((chunk) => ready.push(chunk.slice()));
  function* push(chunk: Uint8Array, last: boolean): Generator<Uint8Array> {
    ready = [];
    let broken: BrokenCompression | undefined;
    try {
      zstd.push(chunk, last);
    } catch (error) {
      broken = new BrokenCompression(`zstd: ${messageOf(error)}`);
    }
    // What came out before it broke does not depend on where the pieces end.
    yield* ready;
    if (broken !== undefined) throw broken;
  }
  for await (const chunk of stream) {
    // What it is given is kept until the next block is complete.
    const bytes = Buffer.from(chunk as Uint8Array);
    for (let at = 0; at < bytes.length; at += ZSTD_SLICE_BYTES)
      yield* push(bytes.subarray(at, at + ZSTD_SLICE_BYTES), false);
  }
  yield* push(new Uint8Array(0), true);
}

const loadZstd = () => loadOptional("fzstd", "zstd", () => import("fzstd"));

/** Undoes the compression of one message. */
export type Unpack = (bytes: Uint8Array) => Uint8Array;

/**
 * What undoes that compression.
 *
 * @throws UsageError (rejects) where a package is missing
 */
export async function unpackerOf(compression: Compression, maxBytes: number): Promise<Unpack> {
  if (compression === "gzip") return (bytes) => gunzipSync(bytes, { maxOutputLength: maxBytes });
  const { Decompress } = await loadZstd();
  return (bytes) => {
    const parts: Uint8Array[] = [];
    let length = 0;
    const zstd = new Decompress((part) => {
      length += part.length;
      if (length > maxBytes) throw new RangeError(`more than ${maxBytes} bytes once decompressed`);
      parts.push(part.slice());
    });
    zstd.push(bytes.slice(), true);
    return Buffer.concat(parts);
  };
}
