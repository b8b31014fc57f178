import type { Attributes, Context } from "@opentelemetry/api";
import type { Runtime } from "../pipeline/timers.ts";
import type { ReadableSpanLike } from "../wire/from-readable-span.ts";
import type { SpanProcessorLike } from "./span-like.ts";

interface Held {
  readonly span: ReadableSpanLike;
  readonly trace_id: string;
  readonly until: number;
  released: boolean;
  attributes: Attributes | undefined;
}

/** A batch processor drops what is handed to it faster than its queue drains, so roots go out in slices. */
const SLICE = 256;

/**
 * Holds ended local roots back until their trace is scored, and forwards everything else at once. A root leaves
 * exactly once: when its scores are there, or, with those that are, when `holdMillis` has passed or too many are held.
 */
export class HoldBack {
  readonly #next: SpanProcessorLike;
  readonly #holdMillis: number;
  readonly #maxHeld: number;
  readonly #runtime: Runtime;
  readonly #problem: (error: unknown) => void;
  /** Every held root waits equally long, so that order of arrival is order of release. */
  readonly #queue = new Set<Held>();
  readonly #byTrace = new Map<string, Held[]>();
  #leaving: Held[] = [];
  #timer: unknown;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(
    next: SpanProcessorLike,
    limits: { readonly holdMillis: number; readonly maxHeld: number },
    runtime: Runtime,
    problem: (error: unknown) => void,
  ) {
    this.#next = next;
    this.#holdMillis = limits.holdMillis;
    this.#maxHeld = limits.maxHeld;
    this.#runtime = runtime;
    this.#problem = problem;
  }

  get size(): number {
    return this.#queue.size + this.#leaving.length;
  }

  onStart(span: unknown, parentContext: Context): void {
    this.#guard(() => this.#next.onStart(span as never, parentContext));
  }

  onEnding(span: unknown): void {
    this.#guard(() => this.#next.onEnding?.(span as never));
  }

  forward(span: unknown): void {
    this.#guard(() => this.#next.onEnd(span as never));
  }

  hold(span: ReadableSpanLike, traceId: string): void {
    const held: Held = {
      span,
      trace_id: traceId,
      until: this.#runtime.now() + this.#holdMillis,
      released: false,
      attributes: undefined,
    };
    this.#queue.add(held);
    const roots = this.#byTrace.get(traceId);
    if (roots === undefined) this.#byTrace.set(traceId, [held]);
    else roots.push(held);
    if (this.#queue.size > this.#maxHeld) this.#release(this.#queue.values().next().value as Held, undefined);
    this.#arm();
  }

  /** Some scores of the trace are there: its roots will leave with these at least. */
  prepare(traceId: string, attributes: Attributes | undefined): void {
    for (const held of this.#byTrace.get(traceId) ?? []) held.attributes = attributes;
  }

  /** The trace is scored: its held roots leave, each with the scores. */
  decorate(traceId: string, attributes: Attributes | undefined): void {
    for (const held of this.#byTrace.get(traceId) ?? []) this.#release(held, attributes);
    this.#arm();
  }

  /** Forwards what may leave, and flushes `next`, which gets `millis` at most. */
  async forceFlush(millis: number): Promise<void> {
    while (this.#leaving.length > 0) {
      this.#forwardSlice();
      if (this.#leaving.length > 0) await this.#pause();
    }
    await this.#bounded(() => this.#next.forceFlush(), "forceFlush", millis);
  }

  /** Forwards everything, with the scores that are there, and shuts `next` down, which gets `millis` at most. */
  async shutdown(millis: number): Promise<void> {
    for (const held of [...this.#queue]) this.#release(held, undefined);
    try {
      while (this.#leaving.length > 0) {
        this.#forwardSlice();
        if (this.#leaving.length > 0) await this.#pause();
      }
    } finally {
      this.#runtime.clearTimer(this.#timer);
      await this.#bounded(() => this.#next.shutdown(), "shutdown", millis);
    }
  }

  #release(held: Held, attributes: Attributes | undefined): void {
    if (held.released) return;
    held.released = true;
    held.attributes = attributes ?? held.attributes;
    this.#queue.delete(held);
    const left = this.#byTrace.get(held.trace_id)?.filter((other) => other !== held) ?? [];
    if (left.length === 0) this.#byTrace.delete(held.trace_id);
    else this.#byTrace.set(held.trace_id, left);
    this.#leaving.push(held);
  }

  #forwardSlice(): void {
    const slice = this.#leaving.splice(0, SLICE);
    for (const held of slice) this.#leave(held);
  }

  /** A span that cannot be read leaves without its scores. */
  #leave({ span, attributes }: Held): void {
    let leaving = span;
    if (attributes !== undefined) {
      this.#guard(() => {
        leaving = decorated(span, attributes);
      });
    }
    this.forward(leaving);
  }

  #arm(): void {
    const oldest = this.#queue.values().next().value as Held | undefined;
    const at = this.#leaving.length > 0 ? this.#runtime.now() : (oldest?.until ?? Number.POSITIVE_INFINITY);
    if (at === Number.POSITIVE_INFINITY || (this.#timer !== undefined && this.#timerAt <= at)) return;
    this.#runtime.clearTimer(this.#timer);
    this.#timerAt = at;
    this.#timer = this.#runtime.setTimer(() => this.#turn(), Math.max(0, at - this.#runtime.now()));
  }

  #turn(): void {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#runtime.now();
    for (const held of this.#queue) {
      if (held.until > now) break;
      this.#release(held, undefined);
    }
    this.#forwardSlice();
    this.#arm();
  }

  /** Whoever waits for us must not wait for ever: a dead exporter never answers. What fails is counted and said. */
  async #bounded(work: () => Promise<void>, name: string, millis: number): Promise<void> {
    let timer: unknown;
    const late = new Promise<never>((_, reject) => {
      const tooLate = (): void => reject(new Error(`${name} of next took longer than ${Math.ceil(millis)} ms`));
      timer = this.#runtime.setTimer(tooLate, millis, true);
    });
    try {
      await Promise.race([work(), late]);
    } catch (error) {
      this.#problem(error);
    } finally {
      this.#runtime.clearTimer(timer);
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#runtime.setTimer(resolve, 0, true) === undefined) resolve();
    });
  }

  /** What we forward to must see every span, whatever it does with one. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#problem(error);
    }
  }
}

/** The ended span with more attributes. A view: the span itself is the host's, and other processors see it too. */
function decorated(span: ReadableSpanLike, added: Attributes): ReadableSpanLike {
  const attributes = { ...(span.attributes as Attributes), ...added };
  return new Proxy(span, {
    get(target, property) {
      if (property === "attributes") return attributes;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
