import type { Output } from "./io.ts";

const STEP_BYTES = 4 * 1024 * 1024;

/** How much has been read, on one line that is written over; only on a terminal, and only for input that takes long. */
export class Progress {
  readonly #output: Output | undefined;
  #bytes = 0;
  #next = STEP_BYTES;
  #visible = false;

  constructor(output: Output, quiet: boolean) {
    this.#output = quiet || output.isTTY !== true ? undefined : output;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#output === undefined || this.#bytes < this.#next) return;
    this.#next = this.#bytes + STEP_BYTES;
    this.#visible = true;
    this.#output.write(`\r${Math.round(this.#bytes / (1024 * 1024))} MiB read`);
  }

  /** Takes the line away before anything else is written. */
  clear(): void {
    if (this.#visible) this.#output?.write("\r\u001b[K");
    this.#visible = false;
  }
}
