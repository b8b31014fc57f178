import { open, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { messageOf } from "../model/errors.ts";
import { type SpanTaker, takeOtlpSpans } from "../wire/from-otlp-json.ts";
import { type Io, printable, UsageError } from "./io.ts";
import { Progress } from "./progress.ts";
import { readLines } from "./read-lines.ts";
import { RequestReader, type RequestValue } from "./read-requests.ts";

/** Lines of the input that were lost, in whole or in part. */
export interface Unread {
  readonly lines: number;
  /** Where the first of them is, as `file:line`. */
  readonly first: string;
}

/**
 * Reads every file; `takerOf` says who takes the spans of a file, by its place in the list. What is broken is told on the error stream and skipped; gives how much that was.
 *
 * @throws UsageError when a file cannot be read, or when the whole input holds no request at all
 */
export async function readInput(
  files: readonly string[],
  takerOf: (file: number) => SpanTaker,
  io: Io,
  quiet: boolean,
): Promise<Unread> {
  const progress = new Progress(io.stderr, quiet);
  const complaints = new Complaints((text) => {
    progress.clear();
    if (!quiet) io.stderr.write(text);
  });
  for (const [index, file] of files.entries()) {
    const name = file === "-" ? "standard input" : file;
    const stream = await openInput(file, io);
    const requests = new RequestReader((line, problem) => {
      complaints.add(`${name}:${line}`, `${problem}; expected an OTLP/JSON request`);
    });
    const taker = takerOf(index);
    try {
      for await (const lines of readLines(stream, (bytes) => progress.add(bytes))) {
        for (const line of lines) {
          const found = requests.feed(line);
          if (found !== undefined) take(found, taker, name, complaints);
        }
      }
      requests.end();
    } catch (error) {
      throw new UsageError(`${name}: cannot be read: ${messageOf(error)}`);
    }
  }
  progress.clear();
  if (!complaints.released) {
    throw new UsageError(complaints.summary() ?? `${files.join(", ")}: is empty; expected OTLP/JSON requests`);
  }
  return complaints.unread;
}

function take({ line, value }: RequestValue, taker: SpanTaker, name: string, complaints: Complaints): void {
  for (const request of Array.isArray(value) ? value : [value]) {
    const { spans, problems } = takeOtlpSpans(request, taker);
    if (spans > 0 || problems.length === 0) complaints.release();
    for (const problem of problems) complaints.add(`${name}:${line}`, problem, !isOtherSignal(request));
  }
}

/** Exports of logs and metrics are whole without spans: nothing of a trajectory is lost with them. */
function isOtherSignal(request: unknown): boolean {
  return typeof request === "object" && request !== null && OTHER_SIGNALS.some((name) => Object.hasOwn(request, name));
}

const OTHER_SIGNALS = ["resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics"];

/** Complaints wait for the first request that can be used: input without any is one mistake, told in one line. */
class Complaints {
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

  /** `lost`: something of the line at `place` is missing from what was read. */
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
    return { lines: this.#lost, first: this.#first };
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

/** How much of a file is read at once: large enough that lines are mostly whole. */
const CHUNK_BYTES = 1024 * 1024;

async function openInput(file: string, io: Io): Promise<AsyncIterable<Uint8Array | string>> {
  if (file === "-") return io.stdin;
  const path = fromFolder(io.cwd, file);
  try {
    if ((await stat(path)).isDirectory()) throw new Error("it is a directory, expected a file of OTLP/JSON");
  } catch (error) {
    throw new UsageError(`${file}: cannot be read: ${messageOf(error)}`);
  }
  return chunksOf(path);
}

/** The file in chunks that all share one buffer: a new one for each costs as much as reading. */
async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The path as seen from the folder that the command runs in. */
export function fromFolder(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}
