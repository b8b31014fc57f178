import { printable } from "./io.ts";

/** Requests of the input that were lost, in whole or in part. */
export interface Unread {
  readonly requests: number;
  /** Where the first of them is, as `file:line`, or `file: byte` of a file of messages. */
  readonly first: string;
}

/** Complaints wait for the first request that can be used: input without any is one mistake, told in one line. */
export class Complaints {
  readonly #write: (text: string) => void;
  #held: string[] = [];
  #count = 0;
  #lost = 0;
  #first = "";
  #last = "";
  released = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** `lost`: something of the request at `place` is missing from what was read. */
  add(place: string, problem: string, lost = true): void {
    const message = `${place}: ${problem}`;
    this.#count += 1;
    if (lost && place !== this.#last) {
      this.#lost += 1;
      if (this.#lost === 1) this.#first = place;
      this.#last = place;
    }
    if (this.released) this.#tell(message);
    else if (this.#held.length < MAX_HELD) this.#held.push(message);
  }

  release(): void {
    this.released = true;
    for (const message of this.#held) this.#tell(message);
    this.#held = [];
  }

  get unread(): Unread {
    return { requests: this.#lost, first: this.#first };
  }

  /** The first complaint and how many more there are. */
  summary(): string | undefined {
    const first = this.#held[0];
    return first === undefined || this.#count === 1 ? first : `${first} (and ${this.#count - 1} more)`;
  }

  #tell(message: string): void {
    this.#write(`otel-trajectory: ${printable(message)}; skipped\n`);
  }
}

const MAX_HELD = 100;
