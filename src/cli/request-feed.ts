import { messageOf } from "../model/errors.ts";
import { compressionOf, type Unpack, unpackerOf } from "./decompress.ts";
import { Frames, MAX_FRAME_BYTES, startsFrame } from "./read-frames.ts";
import { Lines } from "./read-lines.ts";
import { RequestReader } from "./read-requests.ts";

/** A place in a file: a line, from 1, or the byte where a message begins, from 0. */
export interface Place {
  readonly unit: "line" | "byte";
  readonly at: number;
}

/** Who is given what a file holds. */
export interface FeedTaker {
  /** A JSON value. */
  json(value: unknown, place: Place): void;
  /** A message that is not JSON. */
  protobuf(bytes: Uint8Array, place: Place): void | Promise<void>;
  /** Something that cannot be read, and is skipped. */
  broken(problem: string, place: Place): void;
}

interface Format {
  push(chunk: Buffer): void | Promise<void>;
  end(): void;
  cut(): Place;
  /** Where the next request begins. */
  readonly place: Place;
}

/**
 * Takes the bytes of one file, in any pieces, and gives its requests: JSON, one a line or over several lines, or messages
 * that follow their lengths. The first byte says which. Nothing of a piece is needed after {@link push}.
 */
export class RequestFeed {
  readonly #taker: FeedTaker;
  #format: Format | undefined;

  constructor(taker: FeedTaker) {
    this.#taker = taker;
  }

  /** @throws what the taker throws, and UsageError (rejects) where a package is missing */
  async push(chunk: Buffer): Promise<void> {
    const [first] = chunk;
    if (first === undefined) return;
    this.#format ??= startsFrame(first) ? new MessageFormat(this.#taker) : new LineFormat(this.#taker);
    // Most formats are done at once; waiting for nothing would still take a turn.
    const pending = this.#format.push(chunk);
    if (pending !== undefined) await pending;
  }

  /** There is nothing more. */
  end(): void {
    this.#format?.end();
  }

  /**
   * Nothing more can be read: what has come is read as far as it is whole, and of the rest, which begins at the place that
   * is given, somebody else speaks.
   */
  cut(): Place {
    return this.#format?.cut() ?? { unit: "byte", at: 0 };
  }
}

class LineFormat implements Format {
  readonly #taker: FeedTaker;
  readonly #lines = new Lines();
  readonly #requests: RequestReader;
  #isCut = false;

  constructor(taker: FeedTaker) {
    this.#taker = taker;
    this.#requests = new RequestReader((line, problem) => {
      if (!this.#isCut) taker.broken(`${problem}; expected an OTLP/JSON request`, { unit: "line", at: line });
    });
  }

  push(chunk: Buffer): void {
    this.#take(this.#lines.of(chunk));
  }

  end(): void {
    this.#take(this.#lines.rest());
    this.#requests.end();
  }

  cut(): Place {
    this.#isCut = true;
    const { place } = this;
    return this.#take(this.#lines.rest()) === 0 ? place : this.place;
  }

  get place(): Place {
    return { unit: "line", at: this.#lines.count + 1 };
  }

  /** Gives how many requests there were. */
  #take(lines: ReturnType<Lines["of"]>): number {
    let count = 0;
    for (const line of lines) {
      const found = this.#requests.feed(line);
      if (found === undefined) continue;
      count += 1;
      this.#taker.json(found.value, { unit: "line", at: found.line });
    }
    return count;
  }
}

class MessageFormat implements Format {
  readonly #taker: FeedTaker;
  readonly #frames = new Frames();
  readonly #unpackers = new Map<string, Unpack>();

  constructor(taker: FeedTaker) {
    this.#taker = taker;
  }

  async push(chunk: Buffer): Promise<void> {
    const wasBroken = this.#frames.broken !== undefined;
    for (const { offset, bytes } of this.#frames.of(chunk)) {
      const place: Place = { unit: "byte", at: offset };
      const message = await this.#unpacked(bytes, place);
      if (message !== undefined) await this.#take(message, place);
    }
    if (!wasBroken && this.#frames.broken !== undefined) this.#taker.broken(this.#frames.broken, this.place);
  }

  end(): void {
    const problem = this.#frames.rest();
    if (problem !== undefined) this.#taker.broken(problem, this.place);
  }

  /** A message is whole as soon as its last byte has come. */
  cut(): Place {
    return this.place;
  }

  get place(): Place {
    return { unit: "byte", at: this.#frames.offset };
  }

  /** The Collector compresses each message by itself. */
  async #unpacked(bytes: Buffer, place: Place): Promise<Uint8Array | undefined> {
    const compression = compressionOf(bytes);
    if (compression === undefined) return bytes;
    const unpack = this.#unpackers.get(compression) ?? (await unpackerOf(compression, MAX_FRAME_BYTES));
    this.#unpackers.set(compression, unpack);
    try {
      return unpack(bytes);
    } catch (error) {
      this.#taker.broken(`${compression}: ${messageOf(error)}; expected a compressed message`, place);
      return undefined;
    }
  }

  async #take(message: Uint8Array, place: Place): Promise<void> {
    if (!startsJson(message[0])) return this.#taker.protobuf(message, place);
    try {
      this.#taker.json(JSON.parse(Buffer.from(message).toString("utf8")), place);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#taker.broken(`not JSON: ${messageOf(error)}; expected an OTLP/JSON request`, place);
    }
  }
}

/** `{` or `[`. In protobuf both would be fields that no request has. */
function startsJson(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b;
}
