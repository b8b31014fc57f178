import { type EmissionPolicy, explanationOf, sessionId, unitId } from "../otel/evaluation-attributes.ts";
import type { EmittedEvaluation } from "../pipeline/sink.ts";

/** A stream that says when it is slower than its writer, as those of Node do. */
export interface StreamOutput {
  write(text: string): boolean | undefined;
  once?(event: "drain" | "close" | "error", listener: () => void): unknown;
}

/** One result as `serve --output jsonl` prints it: what `score` prints, where and when it belongs, and no content. */
export interface EmittedRow {
  readonly unit_id: string;
  readonly metric: string;
  readonly version: string;
  readonly status: "scored" | "non_evaluable" | "error";
  readonly score?: number;
  readonly label?: string;
  readonly reason?: string;
  readonly error?: { readonly type: string };
  /** The numbers of the result's metadata. */
  readonly metadata: Readonly<Record<string, number>>;
  readonly explanation?: string;
  readonly complete: boolean;
  readonly incomplete_reasons: readonly string[];
  readonly evaluation_id: string;
  readonly revision: number;
  readonly expectation_id?: string;
  readonly session_id?: string;
  readonly agent?: string;
  readonly trace_ids: readonly string[];
}

/** The row of a result. */
export function emittedRow(emitted: EmittedEvaluation, policy: EmissionPolicy): EmittedRow {
  const { unit, evaluation, evaluation_id, revision } = emitted;
  const { result, scorer, expectation } = evaluation;
  const explanation = explanationOf(emitted, policy);
  return {
    unit_id: unitId(emitted, policy),
    metric: scorer.metric_name,
    version: scorer.version,
    status: result.status,
    ...(result.status === "scored" ? { score: result.score, label: result.label } : {}),
    ...(result.status === "non_evaluable" ? { reason: result.reason } : {}),
    ...(result.status === "error" ? { error: { type: result.error.type } } : {}),
    metadata: result.status === "scored" ? numbersOf(result.metadata) : {},
    ...(explanation === "" ? {} : { explanation }),
    complete: unit.complete,
    incomplete_reasons: unit.incomplete_reasons,
    evaluation_id,
    revision,
    ...(expectation?.id === undefined ? {} : { expectation_id: expectation.id }),
    ...(unit.session_id === undefined ? {} : { session_id: sessionId(unit.session_id, policy) }),
    ...(unit.agent === undefined ? {} : { agent: unit.agent }),
    trace_ids: unit.trace_ids,
  };
}

function numbersOf(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, number>> {
  const numbers = Object.entries(metadata).filter(([, value]) => typeof value === "number" && Number.isFinite(value));
  return Object.fromEntries(numbers as [string, number][]);
}

/** Text that waits for a slow reader before senders are told to wait, in characters. */
const MAX_WAITING = 8 * 1024 * 1024;

/**
 * Writes rows to a stream, one a line. Those of one turn of the event loop are written together, since each write costs
 * as much as scoring a trace; what the stream's reader is too slow for waits here, and {@link isFull} says so.
 */
export class RowOutput {
  readonly #stream: StreamOutput;
  #waiting: string[] = [];
  #waitingLength = 0;
  #scheduled = false;
  /** The stream wants nothing more for now. */
  #blocked = false;
  #onEmpty: (() => void)[] = [];

  constructor(stream: StreamOutput) {
    this.#stream = stream;
    // A reader that has gone away never drains.
    for (const event of ["close", "error"] as const) stream.once?.(event, () => this.#drained());
  }

  get isFull(): boolean {
    return this.#waitingLength > MAX_WAITING;
  }

  write(row: EmittedRow): void {
    const line = `${JSON.stringify(row)}\n`;
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (this.#scheduled || this.#blocked) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  /** Resolves when everything that has been handed over so far has been written, however long that takes. */
  settled(): Promise<void> {
    this.#send();
    return this.#blocked ? new Promise((resolve) => this.#onEmpty.push(resolve)) : Promise.resolve();
  }

  /** Resolves when everything has been written, or after `millis`. */
  async flush(millis: number): Promise<void> {
    this.#send();
    if (!this.#blocked) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, millis);
      this.#onEmpty.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #send(): void {
    if (this.#blocked || this.#waiting.length === 0) return;
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#waitingLength = 0;
    if (this.#stream.write(text) !== false || this.#stream.once === undefined) return;
    this.#blocked = true;
    this.#stream.once("drain", () => this.#drained());
  }

  #drained(): void {
    this.#blocked = false;
    this.#send();
    if (!this.#blocked) for (const told of this.#onEmpty.splice(0)) told();
  }
}
