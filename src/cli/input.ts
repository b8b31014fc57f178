import { open } from "node:fs/promises";
import { messageOf } from "../model/errors.ts";
import type { SpanTaker } from "../wire/from-otlp-json.ts";
import { Complaints, type Unread } from "./complaints.ts";
import { BrokenCompression, decompressed } from "./decompress.ts";
import { fromFolder, inputFiles } from "./input-files.ts";
import { type Io, UsageError } from "./io.ts";
import { Progress } from "./progress.ts";
import { RequestFeed } from "./request-feed.ts";
import { placeIn, RequestTaker } from "./request-taker.ts";

/**
 * Reads every file that `names` name; `takerOf` says who takes the spans of a file, by its place in the list. What is
 * broken is told on the error stream and skipped; gives how much that was.
 *
 * @throws UsageError (rejects) when a file cannot be read, or when the whole input holds no request at all
 */
export async function readInput(
  names: readonly string[],
  takerOf: (file: number) => SpanTaker,
  io: Io,
  quiet: boolean,
): Promise<Unread> {
  const progress = new Progress(io.stderr, quiet);
  const complaints = new Complaints((text) => {
    progress.clear();
    if (!quiet) io.stderr.write(text);
  });
  for (const [index, file] of (await inputFiles(names, io.cwd)).entries()) {
    const name = nameOf(file);
    const feed = new RequestFeed(new RequestTaker(name, takerOf(index), complaints));
    try {
      const stream = file === "-" ? io.stdin : chunksOf(fromFolder(io.cwd, file), progress);
      for await (const chunk of decompressed(stream)) await feed.push(asBuffer(chunk));
      feed.end();
    } catch (error) {
      if (!(error instanceof BrokenCompression)) throw new UsageError(`${name}: cannot be read: ${messageOf(error)}`);
      complaints.add(placeIn(name, feed.cut()), error.message);
    }
  }
  progress.clear();
  if (!complaints.released) {
    throw new UsageError(
      complaints.summary() ?? `${names.map(nameOf).join(", ")}: holds nothing; expected OTLP/JSON requests`,
    );
  }
  return complaints.unread;
}

/** A file as it is named to people. */
export function nameOf(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** How much of a file is read at once: large enough that lines are mostly whole. */
const CHUNK_BYTES = 1024 * 1024;

/** The file in chunks that all share one buffer: a new one for each costs as much as reading. */
async function* chunksOf(path: string, progress: Progress): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      progress.add(bytesRead);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function asBuffer(chunk: Uint8Array | string): Buffer {
  return typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
