import { isAscii } from "node:buffer";

/** One line of UTF-8 with its number, from 1. */
export interface Line {
  readonly number: number;
  /** Good until the next line is asked for. */
  readonly bytes: Buffer;
  /** It is longer than may be: nothing of it is there. */
  readonly tooLong: boolean;
}

/** Longest line, in bytes: no text of Node is longer. Compressed files of a few kilobytes may hold one. */
export const MAX_LINE_BYTES: number = 512 * 1024 * 1024;

const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);

/**
 * Splits bytes of UTF-8 into lines, those of each chunk at once; at most one unfinished line is held, so that chunks may
 * share their memory. O(bytes).
 */
export class Lines {
  /** Pieces of a line that is not complete yet; joined once, since a request can span many chunks. */
  #pieces: Buffer[] = [];
  /** Bytes of that line so far, held or not. */
  #length = 0;
  #number = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Lines that are complete. */
  get count(): number {
    return this.#number;
  }

  *of(bytes: Buffer): Generator<Line> {
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      yield this.#line(bytes.subarray(from, end));
      from = end + 1;
    }
    if (from === bytes.length) return;
    this.#length += bytes.length - from;
    if (this.#length <= this.#maxBytes) this.#pieces.push(Buffer.from(bytes.subarray(from)));
    else this.#pieces = [];
  }

  *rest(): Generator<Line> {
    if (this.#length > 0) yield this.#line(NOTHING);
  }

  #line(end: Buffer): Line {
    const tooLong = this.#length + end.length > this.#maxBytes;
    const whole = this.#pieces.length === 0 ? end : Buffer.concat([...this.#pieces, end]);
    this.#pieces = [];
    this.#length = 0;
    this.#number += 1;
    return { number: this.#number, bytes: tooLong ? NOTHING : whole, tooLong };
  }
}

/** The text of a line. Most are plain ASCII, which is copied as it is: decoding UTF-8 costs a good part of parsing. */
export function textOf({ bytes }: Line): string {
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}
