import { messageOf } from "../model/errors.ts";
import { JsonExtent } from "./json-extent.ts";
import { type Line, MAX_LINE_BYTES, textOf } from "./read-lines.ts";

/** One JSON value of the input, with the line on which it starts. */
export interface RequestValue {
  readonly line: number;
  readonly value: unknown;
}

/** Told of what cannot be read and is skipped. */
export type OnBroken = (line: number, problem: string) => void;

/** Longest request that may go over several lines, in characters; one on a line is bound only by the runtime. */
const MAX_PRETTY_LENGTH = 256 * 1024 * 1024;

interface Pretty {
  readonly start: number;
  readonly lines: string[];
  readonly extent: JsonExtent;
  length: number;
}

/**
 * Finds requests in lines that are fed one by one: one a line, or pretty-printed over several lines. A broken one is
 * told and skipped; the next line that is a request on its own is read again. Holds one request at a time.
 */
export class RequestReader {
  readonly #onBroken: OnBroken;
  #pretty: Pretty | undefined;
  /** After a broken request of several lines the rest of it says nothing; it is told once. */
  #lost = false;

  constructor(onBroken: OnBroken) {
    this.#onBroken = onBroken;
  }

  /** The request that this line completes, if it does. */
  feed(line: Line): RequestValue | undefined {
    if (line.tooLong) {
      this.end();
      this.#onBroken(line.number, `a line of more than ${MAX_LINE_BYTES} bytes`);
      return undefined;
    }
    const whole = textOf(line);
    const text = line.number === 1 ? whole.replace(/^\uFEFF/, "") : whole;
    if (text.trim() === "") return undefined;
    const resync = this.#pretty !== undefined || this.#lost;
    const parsed = !resync || isRequestLine(text) ? parse(text) : undefined;
    if (parsed?.ok) {
      this.end();
      this.#lost = false;
      return { line: line.number, value: parsed.value };
    }
    if (this.#pretty !== undefined) return this.#goOn(this.#pretty, text);
    if (this.#lost && !text.startsWith("{")) return undefined;
    this.#pretty = begin(line, text);
    if (this.#pretty !== undefined) this.#lost = false;
    else if (!this.#lost) this.#onBroken(line.number, parsed?.problem ?? NOT_JSON);
    return undefined;
  }

  /** There are no more lines. */
  end(): void {
    if (this.#pretty !== undefined) this.#onBroken(this.#pretty.start, ENDS_EARLY);
    this.#pretty = undefined;
  }

  #goOn(pretty: Pretty, text: string): RequestValue | undefined {
    const state = add(pretty, text);
    if (state === "open") return undefined;
    const whole = state === "closed" ? parse(pretty.lines.join("\n")) : { ok: false as const, problem: NOT_JSON };
    this.#pretty = undefined;
    this.#lost = !whole.ok;
    if (whole.ok) return { line: pretty.start, value: whole.value };
    this.#onBroken(pretty.start, whole.problem);
    return undefined;
  }
}

const NOT_JSON = "not JSON";
const ENDS_EARLY = "not JSON: it ends too early";

/** A cheap look, so that the lines of a pretty-printed request are not parsed one by one. */
function isRequestLine(text: string): boolean {
  return /^\s*\{\s*"(?:resource_?[sS]pans|data)"/.test(text.slice(0, 200));
}

function begin(line: Line, text: string): Pretty | undefined {
  const pretty: Pretty = { start: line.number, lines: [], extent: new JsonExtent(), length: 0 };
  return add(pretty, text) === "open" ? pretty : undefined;
}

function add(pretty: Pretty, text: string): "open" | "closed" | "broken" {
  pretty.lines.push(text);
  pretty.length += text.length;
  return pretty.length > MAX_PRETTY_LENGTH ? "broken" : pretty.extent.feed(text);
}

function parse(text: string): { ok: true; value: unknown } | { ok: false; problem: string } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, problem: `${NOT_JSON}: ${messageOf(error).replaceAll(/\s+/g, " ")}` };
  }
}
