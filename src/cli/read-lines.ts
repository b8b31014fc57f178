import { isAscii } from "node:buffer";

/** One line of text with its number, from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

const LINE_FEED = 10;

/** Splits a stream of UTF-8 into lines, those of each chunk at once; at most one unfinished line is held. O(bytes). */
export async function* readLines(
  stream: AsyncIterable<Uint8Array | string>,
  onBytes: (count: number) => void,
): AsyncGenerator<readonly Line[]> {
  // Pieces of a line that is not complete yet; joined once, since a request can span many chunks.
  let pieces: Buffer[] = [];
  let number = 1;
  const lineOf = (end: Buffer): Line => {
    const whole = pieces.length === 0 ? end : Buffer.concat([...pieces, end]);
    pieces = [];
    number += 1;
    return { number: number - 1, text: textOf(whole) };
  };
  for await (const chunk of stream) {
    onBytes(chunk.length);
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : asBuffer(chunk);
    const lines: Line[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      lines.push(lineOf(bytes.subarray(from, end)));
      from = end + 1;
    }
    if (from < bytes.length) pieces.push(bytes.subarray(from));
    if (lines.length > 0) yield lines;
  }
  if (pieces.length > 0) yield [lineOf(Buffer.alloc(0))];
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** Most lines are plain ASCII, which is copied as it is: decoding UTF-8 takes as long as parsing what it says. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}
