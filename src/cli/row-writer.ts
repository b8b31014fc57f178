import { type Output, print } from "./io.ts";
import { jsonLine, type ScoreRow, type StepsRow } from "./rows.ts";

/** The formats in which rows are printed. */
export const FORMATS = ["table", "json", "jsonl"] as const;
/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number];
/** The formats of a whole run: rows, and reports. */
export const SCORE_FORMATS = ["table", "json", "jsonl", "markdown", "junit", "html"] as const;
/** One of {@link SCORE_FORMATS}. */
export type ScoreFormat = (typeof SCORE_FORMATS)[number];

/** Rows are written together up to this many characters: a write costs as much as several rows. */
const BATCH_LENGTH = 64 * 1024;

/** Prints rows as they come: one a line, or as one array. */
export class RowWriter {
  readonly #output: Output;
  readonly #array: boolean;
  #count = 0;
  #batch = "";

  constructor(output: Output, format: "json" | "jsonl") {
    this.#output = output;
    this.#array = format === "json";
  }

  async write(row: StepsRow | ScoreRow): Promise<void> {
    const before = this.#array ? (this.#count === 0 ? "[\n" : ",\n") : "";
    this.#count += 1;
    this.#batch += `${before}${jsonLine(row)}${this.#array ? "" : "\n"}`;
    if (this.#batch.length >= BATCH_LENGTH) await this.#flush();
  }

  async end(): Promise<void> {
    if (this.#array) this.#batch += this.#count === 0 ? "[]\n" : "\n]\n";
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const text = this.#batch;
    this.#batch = "";
    if (text !== "") await print(this.#output, text);
  }
}
