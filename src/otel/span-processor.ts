import type { Attributes, Context } from "@opentelemetry/api";
import { openExpectationFile } from "#files";
import { OpenSpan } from "../buffer/open-span.ts";
import { TraceEntry } from "../buffer/trace-entry.ts";
import { createSpanReader } from "../conventions/read-span.ts";
import { createSources } from "../expectation/create-sources.ts";
import { createResolver } from "../expectation/resolve.ts";
import type { Explanation } from "../model/explanation.ts";
import { SCOPE_NAME } from "../model/version.ts";
import { Engine, NO_LEAF } from "../pipeline/engine.ts";
import { resolveEngineOptions } from "../pipeline/options.ts";
import type { EmittedEvaluation, Sink } from "../pipeline/sink.ts";
import type { TrajectoryStats } from "../pipeline/stats.ts";
import { hostRuntime, type Runtime } from "../pipeline/timers.ts";
import { type ReadableSpanLike, viewOfReadableSpan } from "../wire/from-readable-span.ts";
import { contextUse, detached, expectationIn, sessionIn, sessionInBaggage } from "./context.ts";
import { Diagnostics } from "./diagnostics.ts";
import { EventEmitter } from "./emit-events.ts";
import { MetricEmitter } from "./emit-metrics.ts";
import { spanAttributes } from "./evaluation-attributes.ts";
import { writeEvaluationSpan } from "./evaluation-span.ts";
import { HoldBack } from "./hold.ts";
import {
  type ResolvedFaceOptions,
  resolveFaceOptions,
  type TrajectorySpanProcessorOptions,
  withEnvironment,
} from "./options.ts";
import type { SpanLike } from "./span-like.ts";
import { ENDED, liveTrace, SpanMarks } from "./span-marks.ts";

/** Timers and promises are made outside the host's context and untraced; those made inside a hook would inherit both. */
const RUNTIME: Runtime = {
  now: hostRuntime.now,
  wall: hostRuntime.wall,
  setTimer: (callback, millis, keepAlive) =>
    detached(() => hostRuntime.setTimer(() => detached(callback), millis, keepAlive)),
  clearTimer: hostRuntime.clearTimer,
};

/**
 * A span processor that scores the path an agent took: it follows the spans of each trace and session, and when one is
 * finished, emits its scores as `gen_ai.evaluation.result` events, metrics and span attributes.
 *
 * It fits the `SpanProcessor` of OpenTelemetry JS SDK 2.x and 3.x. Its hooks never throw, never wait, and never run
 * host code unguarded; scoring happens in later turns.
 *
 * @throws TrajectoryError from the constructor only: a wrong option, naming it, its value and what is allowed
 */
export class TrajectorySpanProcessor {
  static #count = 0;

  readonly #options: ResolvedFaceOptions;
  readonly #engine: Engine;
  readonly #diagnostics = new Diagnostics(RUNTIME);
  readonly #hold: HoldBack | undefined;
  readonly #contextUse = contextUse();
  readonly #marks = new SpanMarks();
  readonly #ending: boolean;
  #shutdown: Promise<void> | undefined;
  #attributesRefused = 0;
  #eventsLost = 0;

  constructor(options: TrajectorySpanProcessorOptions = {}) {
    const given = withEnvironment(options, (message) => this.#diagnostics.warn("environment", message));
    const face = resolveFaceOptions(given);
    const engineOptions = resolveEngineOptions(given);
    this.#options = face;
    this.#ending = face.attach === "ending" && !face.disabled;
    const sources = createSources(face.expectations, {
      timers: RUNTIME,
      timeoutMillis: face.expectationTimeoutMillis,
      run: detached,
      openFile: (path) =>
        openExpectationFile(path, {
          pollMillis: face.expectationPollMillis,
          timeoutMillis: face.expectationTimeoutMillis,
          timers: RUNTIME,
          onProblem: ({ level, message }) => this.#problemWithFile(level, path, message),
        }),
    });
    const metrics = new MetricEmitter(
      given.meterProvider,
      () => this.#engine.stats(),
      `trajectory_span_processor/${TrajectorySpanProcessor.#count}`,
      engineOptions.limits.maxTraces * engineOptions.limits.maxSpansPerTrace,
    );
    TrajectorySpanProcessor.#count += 1;
    const events = new EventEmitter(given.loggerProvider, face.policy);
    this.#hold =
      face.next === undefined
        ? undefined
        : new HoldBack(
            face.next,
            { holdMillis: face.holdMillis, maxHeld: engineOptions.limits.maxTraces },
            RUNTIME,
            (error) => this.#engine.problem("next", error),
          );
    this.#engine = new Engine(engineOptions, {
      runtime: RUNTIME,
      resolver: createResolver({ sources, annotations: face.annotations }),
      reader: createSpanReader({
        conventions: given.conventions,
        mapSpan: given.mapSpan,
        onProblem: (kind, error) => this.#engine.problem(kind, error),
        maxContentBytes: engineOptions.maxContentBytes,
        keepAttributes: sources.some((source) => source.readsAttributes !== false) ? "roots" : "none",
      }),
      sinks: this.#sinks(events, metrics, given),
      problem: (kind, error) => this.#diagnostics.error(kind, `${kind}: ${messageOf(error)}`),
    });
  }

  onStart(span: SpanLike, parentContext: Context): void {
    try {
      if (!this.#options.disabled && !isOwn(span)) this.#started(span, parentContext);
    } catch (error) {
      this.#engine.problem("onStart", error);
    }
    this.#hold?.onStart(span, parentContext);
  }

  onEnding(span: SpanLike): void {
    try {
      const mark = this.#ending ? this.#marks.of(span) : undefined;
      if (mark instanceof OpenSpan && mark.root && mark.entry.open_count === 1) {
        const view = viewOfReadableSpan(span);
        const scores = this.#engine.scoreEnding(view, mark, this.#options.endingMaxSteps);
        for (const emitted of scores) this.#write(span, emitted);
      }
    } catch (error) {
      this.#engine.problem("onEnding", error);
    }
    this.#hold?.onEnding(span);
  }

  onEnd(span: ReadableSpanLike): void {
    let held = false;
    try {
      const mark = this.#marks.of(span);
      const { endTime } = span;
      const leaf = mark instanceof TraceEntry ? this.#engine.endLeaf(mark, span, endTime[0], endTime[1]) : NO_LEAF;
      if (leaf !== NO_LEAF) this.#marks.set(span, leaf);
      else if (mark === ENDED || typeof mark === "number") this.#engine.endAgain();
      else if (!this.#options.disabled && !isOwn(span)) held = this.#ended(span, mark);
    } catch (error) {
      this.#engine.problem("onEnd", error);
    }
    if (!held) this.#hold?.forward(span);
  }

  /** Scores the traces whose roots have ended and leaves open ones and sessions alone; then flushes `next`. */
  async forceFlush(): Promise<void> {
    if (this.#shutdown !== undefined) return this.#shutdown;
    await detached(() => this.#engine.flush(this.#options.flushTimeoutMillis));
    await this.#hold?.forceFlush();
  }

  /** Finishes every trace and session without shutting down. For scripts: timers of ours never keep a process alive. */
  async drain(): Promise<void> {
    if (this.#shutdown !== undefined) return this.#shutdown;
    await detached(() => this.#engine.drain(this.#options.flushTimeoutMillis));
    await this.#hold?.forceFlush();
  }

  /** Scores what is held, flags it as `shutdown`, and takes nothing more. Later calls get the same promise. */
  shutdown(): Promise<void> {
    this.#shutdown ??= this.#shutDown();
    return this.#shutdown;
  }

  /**
   * Ends a session: it is scored once the traces that are open now have finished. Resolves when it is on its way;
   * a session that nobody scores, or that is not known, resolves at once.
   */
  endSession(sessionId: string): Promise<void> {
    try {
      return detached(() => this.#engine.endSession(sessionId));
    } catch (error) {
      this.#engine.problem("endSession", error);
      return Promise.resolve();
    }
  }

  /**
   * Why each span of a trace is the step that it is, or none: as long as the trace is held, which is from its first span
   * to `lateWindowMillis` after it was scored. `renderExplanation` makes a page of it.
   *
   * @returns undefined for a trace that is not held
   */
  explain(traceId: string): Explanation | undefined {
    try {
      return this.#engine.explain(traceId);
    } catch (error) {
      this.#engine.problem("explain", error);
      return undefined;
    }
  }

  /** What was seen, scored, held and dropped. */
  stats(): TrajectoryStats & ProcessorStats {
    return {
      ...this.#engine.stats(),
      roots_held: this.#hold?.size ?? 0,
      attributes_refused: this.#attributesRefused,
      events_lost: this.#eventsLost,
    };
  }

  async #shutDown(): Promise<void> {
    try {
      await detached(() => this.#engine.shutdown(this.#options.flushTimeoutMillis));
    } finally {
      await this.#hold?.shutdown();
    }
  }

  #started(span: SpanLike, parentContext: Context): void {
    // A processor that is registered twice sees each start twice.
    if (this.#marks.of(span) !== undefined) return;
    const { traceId, spanId } = span.spanContext();
    const parent = span.parentSpanContext;
    const parentId = parent === undefined ? (span.parentSpanId ?? "") : parent.spanId;
    const remote = parent !== undefined && parent.isRemote === true;
    const { startTime } = span;
    let entry = parentId === "" || remote ? undefined : this.#traceOfParent(parentContext, traceId, parentId);
    if (entry !== undefined) {
      if (!this.#engine.startBeneath(entry, startTime[0], startTime[1])) return;
      this.#marks.set(span, entry);
    } else {
      const started = this.#engine.start(traceId, spanId, parentId, remote, startTime[0], startTime[1]);
      if (started === undefined) return;
      this.#marks.set(span, started);
      entry = started.entry;
    }
    if (this.#contextUse.used) {
      const expectation = expectationIn(parentContext);
      if (expectation !== undefined && !entry.contextual.includes(expectation)) {
        entry.contextual = [...entry.contextual, expectation];
      }
      entry.context_session ??= sessionIn(parentContext);
    }
    if (entry.context_session === undefined) entry.context_session = sessionInBaggage(parentContext);
  }

  /** The trace in which the parent is known as such, where the parent is at hand in the context. */
  #traceOfParent(context: Context, traceId: string, parentId: string): TraceEntry | undefined {
    const parent = this.#marks.parentIn(context, traceId, parentId);
    if (parent === undefined) return undefined;
    const mark = this.#marks.of(parent);
    // It ended, was let go as a leaf, and is a parent after all: what was let go is read back.
    if (typeof mark === "number" && this.#engine.readBack(viewOfReadableSpan(parent), mark)) {
      this.#marks.set(parent, ENDED);
    }
    const entry = liveTrace(mark);
    if (entry === mark && entry !== undefined) this.#marks.set(parent, this.#engine.promote(entry, parentId));
    return entry;
  }

  /** Gives whether the span is held back. */
  #ended(span: ReadableSpanLike, mark: OpenSpan | TraceEntry | undefined): boolean {
    const view = viewOfReadableSpan(span);
    const root = mark instanceof OpenSpan && mark.root && mark.open && mark.entry.state === "open";
    const held = this.#hold !== undefined && root;
    if (held) this.#hold?.hold(span, view.trace_id);
    this.#engine.end(view, mark);
    // Of a local root or a parent the mark itself says that it has ended.
    if (mark instanceof TraceEntry) this.#marks.set(span, ENDED);
    return held;
  }

  /** Attributes beyond the SDK's limit are dropped in silence; so what was written is read back. */
  #write(span: SpanLike, emitted: EmittedEvaluation): void {
    for (const [key, value] of Object.entries(spanAttributes(emitted))) {
      if (value === undefined) continue;
      span.setAttribute(key, value);
      if ((span.attributes as Attributes | undefined)?.[key] !== value) this.#attributesRefused += 1;
    }
  }

  #sinks(events: EventEmitter, metrics: MetricEmitter, given: TrajectorySpanProcessorOptions): Sink[] {
    const { attach, policy } = this.#options;
    // One sink each, so that a logger that throws keeps no metric and no span from being written.
    const toEvents: Sink = {
      ...SILENT,
      emit: (emitted) => {
        if (!events.emit(emitted)) this.#eventsLost += 1;
      },
    };
    const toMetrics: Sink = {
      ...SILENT,
      unitScored: () => void metrics.ready(),
      record: (result) => metrics.record(result),
      correct: (result) => metrics.correct(result),
      time: (unit, evaluation) => metrics.time(unit, evaluation),
      skip: (name) => metrics.skip(name),
    };
    const toSpans: Sink = {
      ...SILENT,
      unitScored: (unit, evaluations) => {
        if (attach === "span") writeEvaluationSpan(unit, evaluations, given.tracerProvider, policy);
        else if (attach === "hold" && unit.unit === "trajectory")
          this.#decorateHeld(unit.trace_ids[0] ?? "", evaluations);
      },
    };
    return [toEvents, toMetrics, toSpans];
  }

  #decorateHeld(traceId: string, evaluations: readonly EmittedEvaluation[]): void {
    const attributes = Object.assign({}, ...evaluations.map(spanAttributes));
    this.#hold?.decorate(traceId, evaluations.length === 0 ? undefined : attributes);
  }

  #problemWithFile(level: "error" | "warning", path: string, message: string): void {
    this.#diagnostics[level === "error" ? "error" : "warn"](`file ${path}`, message);
  }
}

/** What the processor counts beside the engine. */
export interface ProcessorStats {
  /** Local roots that wait for their scores (`attach: "hold"`). */
  readonly roots_held: number;
  /** Span attributes that the SDK did not take, for example beyond its limit of 128. */
  readonly attributes_refused: number;
  /** Events for which there was no logger provider. */
  readonly events_lost: number;
}

const SILENT: Sink = {
  emit: () => undefined,
  unitScored: () => undefined,
  record: () => undefined,
  correct: () => undefined,
  time: () => undefined,
  skip: () => undefined,
};

function isOwn(span: ReadableSpanLike): boolean {
  return span.instrumentationScope?.name === SCOPE_NAME;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
