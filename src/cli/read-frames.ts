/** One message of a file of messages. */
export interface Frame {
  /** Where its length stands, in bytes from the start of the file. */
  readonly offset: number;
  /** Good until the next frame is asked for. */
  readonly bytes: Buffer;
}

/** Each message follows its length, an unsigned 32-bit integer, the high byte first. */
const LENGTH_BYTES = 4;
/** Longest message, in bytes. A length beyond it is no length. */
export const MAX_FRAME_BYTES: number = 128 * 1024 * 1024;

/** Whether a file that starts with this byte can only be one of messages: text does not, nor does a longer message. */
export function startsFrame(byte: number): boolean {
  return byte <= MAX_FRAME_BYTES >>> 24;
}

/** Splits bytes into length-prefixed messages. Holds at most one unfinished message. */
export class Frames {
  #pieces: Buffer[] = [];
  #held = 0;
  /** Bytes of the message that is awaited, with its length; that of the length alone until it is known. */
  #wanted = LENGTH_BYTES;
  #offset = 0;
  /** What makes the rest unreadable: nobody knows where the next message begins. */
  broken: string | undefined;

  *of(chunk: Buffer): Generator<Frame> {
    let from = 0;
    while (this.broken === undefined && this.#held + chunk.length - from >= this.#wanted) {
      const to = from + this.#wanted - this.#held;
      const bytes = this.#join(chunk.subarray(from, to));
      from = to;
      if (this.#wanted === LENGTH_BYTES && bytes.readUInt32BE(0) > 0) this.#begin(bytes);
      else yield this.#end(bytes);
    }
    if (this.broken !== undefined || from === chunk.length) return;
    this.#pieces.push(Buffer.from(chunk.subarray(from)));
    this.#held += chunk.length - from;
  }

  /** Where the next message begins. */
  get offset(): number {
    return this.#offset;
  }

  /** What is wrong with the end of the file, if something is. */
  rest(): string | undefined {
    if (this.#held === 0 || this.broken !== undefined) return undefined;
    const length = this.#wanted === LENGTH_BYTES ? "its length" : `${this.#wanted - LENGTH_BYTES} bytes`;
    return `the message ends too early: expected ${length}`;
  }

  #begin(length: Buffer): void {
    const bytes = length.readUInt32BE(0);
    if (bytes > MAX_FRAME_BYTES) {
      this.broken = `a message of ${bytes} bytes, expected at most ${MAX_FRAME_BYTES}; the rest of the file`;
      return;
    }
    this.#wanted = LENGTH_BYTES + bytes;
    this.#pieces = [Buffer.from(length)];
    this.#held = LENGTH_BYTES;
  }

  #end(bytes: Buffer): Frame {
    const frame = { offset: this.#offset, bytes: bytes.subarray(LENGTH_BYTES) };
    this.#offset += this.#wanted;
    this.#wanted = LENGTH_BYTES;
    return frame;
  }

  #join(last: Buffer): Buffer {
    const bytes = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.#held = 0;
    return bytes;
  }
}
