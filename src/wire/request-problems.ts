/** Problems of one request that are told in words; the rest are counted. */
const MAX_TOLD = 1_000;

/** What became of one request: how many spans were handed over, and what could not be. */
export interface TakenRequest {
  readonly spans: number;
  /** Spans that could not be used. */
  readonly rejected: number;
  /** What could not be used, with its place; where there is very much, the last line says how many more there are. */
  readonly problems: readonly string[];
}

/** Collects what is wrong with a request: a short request may be wrong in millions of places. */
export class RequestProblems {
  readonly #told: string[] = [];
  #more = 0;

  add(place: string, problem: string): void {
    if (this.#told.length < MAX_TOLD) this.#told.push(`${place}${problem}`);
    else this.#more += 1;
  }

  get list(): readonly string[] {
    return this.#more === 0 ? this.#told : [...this.#told, `and ${this.#more} more problems of this request`];
  }
}
