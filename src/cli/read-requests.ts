import { JsonExtent } from "./json-extent.ts";
import { type Line, readLines } from "./read-lines.ts";

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
 * Reads requests: one a line, or pretty-printed over several lines. A broken one is told and skipped; the next line
 * that is a request on its own is read again. Holds one request at a time.
 */
export async function* readRequests(
  stream: AsyncIterable<Uint8Array | string>,
  onBroken: OnBroken,
  onBytes: (count: number) => void,
): AsyncGenerator<RequestValue> {
  let pretty: Pretty | undefined;
  // After a broken request of several lines the rest of it says nothing; it is told once.
  let lost = false;
  for await (const line of readLines(stream, onBytes)) {
    const text = line.number === 1 ? line.text.replace(/^\uFEFF/, "") : line.text;
    if (text.trim() === "") continue;
    const resync = pretty !== undefined || lost;
    const parsed = !resync || isRequestLine(text) ? parse(text) : undefined;
    if (parsed?.ok) {
      if (pretty !== undefined) onBroken(pretty.start, ENDS_EARLY);
      pretty = undefined;
      lost = false;
      yield { line: line.number, value: parsed.value };
      continue;
    }
    if (pretty === undefined) {
      if (lost && !text.startsWith("{")) continue;
      pretty = begin(line, text);
      if (pretty === undefined && !lost) onBroken(line.number, parsed?.problem ?? NOT_JSON);
      if (pretty !== undefined) lost = false;
      continue;
    }
    const state = add(pretty, text);
    if (state === "open") continue;
    const whole = state === "closed" ? parse(pretty.lines.join("\n")) : { ok: false as const, problem: NOT_JSON };
    if (whole.ok) yield { line: pretty.start, value: whole.value };
    else onBroken(pretty.start, whole.problem);
    lost = !whole.ok;
    pretty = undefined;
  }
  if (pretty !== undefined) onBroken(pretty.start, ENDS_EARLY);
}

const NOT_JSON = "not JSON";
const ENDS_EARLY = "not JSON: it ends too early";

/** A cheap look, so that the lines of a pretty-printed request are not parsed one by one. */
function isRequestLine(text: string): boolean {
  return /^\s*\{\s*"resource_?[sS]pans"/.test(text.slice(0, 200));
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
    return { ok: false, problem: `${NOT_JSON}: ${(error as Error).message.replaceAll(/\s+/g, " ")}` };
  }
}
