import type { Attributes, Context } from "@opentelemetry/api";
import { openExpectationFile } from "#files";
import { createSpanReader } from "../conventions/read-span.ts";
import { createSources } from "../expectation/create-sources.ts";
import { createResolver } from "../expectation/resolve.ts";
import { HostFault, messageOf, typeOf } from "../model/errors.ts";
import type { Explanation } from "../model/explanation.ts";
import type { Step } from "../model/trajectory.ts";
import { Engine } from "../pipeline/engine.ts";
import { resolveEngineOptions } from "../pipeline/options.ts";
import type { EmittedEvaluation } from "../pipeline/sink.ts";
import type { TrajectoryStats } from "../pipeline/stats.ts";
import { hostRuntime, type Runtime } from "../pipeline/timers.ts";
import type { ReadableSpanLike } from "../wire/from-readable-span.ts";
import { detached } from "./context.ts";
import { Diagnostics } from "./diagnostics.ts";
import { EventEmitter } from "./emit-events.ts";
import { MetricEmitter } from "./emit-metrics.ts";
import { spanAttributes } from "./evaluation-attributes.ts";
import { HoldBack } from "./hold.ts";
import {
  type ResolvedFaceOptions,
  resolveFaceOptions,
  type TrajectorySpanProcessorOptions,
  withEnvironment,
} from "./options.ts";
import { SessionStamp } from "./session-stamp.ts";
import { createSinks } from "./sinks.ts";
import type { SpanLike } from "./span-like.ts";
import { SpanTracker } from "./span-tracker.ts";

/**
 * Timers and promises are made outside the host's context and untraced; those made inside a hook would inherit both.
 * What a timer throws would end the host's process: nothing should, and what does is a problem like any other.
 */
function runtimeOf(problem: (error: unknown) => void): Runtime {
  const guarded = (callback: () => void) => (): void => {
    try {
      detached(callback);
    } catch (error) {
      problem(error);
    }
  };
  return {
    now: hostRuntime.now,
    wall: hostRuntime.wall,
    setTimer: (callback, millis, keepAlive) =>
      detached(() => hostRuntime.setTimer(guarded(callback), millis, keepAlive)),
    clearTimer: hostRuntime.clearTimer,
  };
}

/** Part of the time of a flush that the engine gets where roots are held; the rest is for `next`. */
const ENGINE_SHARE = 3 / 4;

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
  readonly #runtime = runtimeOf((error) => this.#engine.problem("timer", error));
  readonly #diagnostics = new Diagnostics(this.#runtime);
  readonly #hold: HoldBack | undefined;
  readonly #stamp: SessionStamp | undefined;
  readonly #tracker: SpanTracker;
  readonly #ending: boolean;
  #shutdown: Promise<void> | undefined;
  #attributesRefused = 0;
  #eventsLost = 0;
  /** Counted here, since a source may find fault with its file before there is an engine. */
  #fileProblems = 0;

  constructor(options: TrajectorySpanProcessorOptions = {}) {
    const given = withEnvironment(options, (message) => this.#diagnostics.warn("environment", message));
    const face = resolveFaceOptions(given);
    const engineOptions = resolveEngineOptions(given);
    this.#options = face;
    this.#ending = face.attach === "ending" && !face.disabled;
    const sources = createSources(face.expectations, {
      timers: this.#runtime,
      timeoutMillis: face.expectationTimeoutMillis,
      run: detached,
      tell: (error) => this.#wordsOf(new HostFault(typeOf(error), messageOf(error))),
      openFile: (path) =>
        openExpectationFile(path, {
          pollMillis: face.expectationPollMillis,
          timeoutMillis: face.expectationTimeoutMillis,
          timers: this.#runtime,
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
    this.#hold =
      face.next === undefined
        ? undefined
        : new HoldBack(
            face.next,
            {
              holdMillis: face.holdMillis,
              maxHeld: engineOptions.limits.maxTraces,
            },
            this.#runtime,
            (error) => this.#engine.problem("next", error),
          );
    const reader = createSpanReader({
      conventions: given.conventions,
      mapSpan: given.mapSpan,
      onProblem: (kind, error) =>
        this.#engine.problem(kind, kind === "convention" ? new HostFault(typeOf(error), messageOf(error)) : error),
      maxContentBytes: engineOptions.maxContentBytes,
      keepAttributes: sources.some((source) => source.readsAttributes !== false) ? "roots" : "none",
    });
    this.#engine = new Engine(engineOptions, {
      runtime: this.#runtime,
      resolver: createResolver({ sources, annotations: face.annotations }),
      reader,
      sinks: createSinks({
        events: new EventEmitter(given.loggerProvider, face.policy),
        metrics,
        hold: this.#hold,
        attach: face.attach,
        tracerProvider: given.tracerProvider,
        policy: face.policy,
        eventLost: () => {
          this.#eventsLost += 1;
        },
      }),
      problem: (kind, error) => this.#diagnostics.error(kindOf(kind, error), `${kind}: ${this.#wordsOf(error)}`),
      notice: (kind, message) => this.#diagnostics.warn(kind, message),
    });
    this.#stamp =
      face.stampKey === undefined || face.disabled
        ? undefined
        : new SessionStamp(face.stampKey, face.policy, () => {
            this.#attributesRefused += 1;
          });
    this.#tracker = new SpanTracker(this.#engine, reader, this.#stamp);
  }

  onStart(span: SpanLike, parentContext: Context): void {
    try {
      if (this.#stamp !== undefined) this.#stamp.started(span, parentContext);
      if (!this.#options.disabled) this.#tracker.started(span, parentContext);
    } catch (error) {
      this.#engine.problem("onStart", error);
    }
    this.#hold?.onStart(span, parentContext);
  }

  onEnding(span: SpanLike): void {
    try {
      const last = this.#ending ? this.#tracker.lastOpenRoot(span) : undefined;
      if (last !== undefined && this.#engine.mayScoreEnding(span, last)) {
        const scores = this.#engine.scoreEnding(this.#tracker.viewOf(span), last, this.#options.endingMaxSteps);
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
      if (!this.#options.disabled) {
        held = this.#hold !== undefined && this.#tracker.isOpenRoot(span);
        if (held) this.#hold?.hold(span, span.spanContext().traceId);
        this.#tracker.ended(span);
      }
    } catch (error) {
      this.#engine.problem("onEnd", error);
    }
    if (!held) this.#hold?.forward(span);
  }

  /** Scores the traces whose roots have ended and leaves open ones and sessions alone; then flushes `next`. */
  async forceFlush(): Promise<void> {
    if (this.#shutdown !== undefined) return this.#shutdown;
    await this.#inTime(
      (millis) => this.#engine.flush(millis),
      (hold, millis) => hold.forceFlush(millis),
    );
  }

  /** Finishes every trace and session without shutting down. For scripts: timers of ours never keep a process alive. */
  async drain(): Promise<void> {
    if (this.#shutdown !== undefined) return this.#shutdown;
    await this.#inTime(
      (millis) => this.#engine.drain(millis),
      (hold, millis) => hold.forceFlush(millis),
    );
  }

  /** Scores what is held, flags it as `shutdown`, and takes nothing more. Later calls get the same promise. */
  shutdown(): Promise<void> {
    this.#shutdown ??= this.#inTime(
      (millis) => this.#engine.shutdown(millis),
      (hold, millis) => hold.shutdown(millis),
    );
    return this.#shutdown;
  }

  /**
   * Ends a session: it is scored once the traces that are open now have finished. Resolves when it is on its way, or
   * after `flushTimeoutMillis`: what awaits it may be one of those traces. A session that nobody scores, or that is not
   * known, resolves at once.
   */
  endSession(sessionId: string): Promise<void> {
    try {
      return detached(() => this.#engine.endSession(sessionId, this.#options.flushTimeoutMillis));
    } catch (error) {
      this.#engine.problem("endSession", error);
      return Promise.resolve();
    }
  }

  /**
   * Why each span of a trace is the step that it is, or none: as long as the trace is held, which is from its first span
   * to `lateWindowMillis` after it was scored. `renderExplanation` makes a page of it. Its steps have no arguments,
   * unless `emitContent` is set.
   *
   * @returns undefined for a trace that is not held
   */
  explain(traceId: string): Explanation | undefined {
    try {
      const explanation = this.#engine.explain(traceId);
      return this.#options.policy.emitContent ? explanation : withoutArguments(explanation);
    } catch (error) {
      this.#engine.problem("explain", error);
      return undefined;
    }
  }

  /** What was seen, scored, held and dropped. */
  stats(): TrajectoryStats & ProcessorStats {
    const stats = this.#engine.stats();
    const files = this.#fileProblems === 0 ? {} : { expectation_file: this.#fileProblems };
    return {
      ...stats,
      problems: { ...stats.problems, ...files },
      roots_held: this.#hold?.size ?? 0,
      attributes_refused: this.#attributesRefused,
      events_lost: this.#eventsLost,
    };
  }

  /** The engine, then what is held, together within `flushTimeoutMillis`: what hangs in the one leaves time to the other. */
  async #inTime(
    engine: (millis: number) => Promise<void>,
    next: (hold: HoldBack, millis: number) => Promise<void>,
  ): Promise<void> {
    const { flushTimeoutMillis } = this.#options;
    const hold = this.#hold;
    if (hold === undefined) return detached(() => engine(flushTimeoutMillis));
    const until = this.#runtime.now() + flushTimeoutMillis;
    try {
      await detached(() => engine(flushTimeoutMillis * ENGINE_SHARE));
    } finally {
      const left = until - this.#runtime.now();
      await detached(() => next(hold, Math.max(left, flushTimeoutMillis * (1 - ENGINE_SHARE))));
    }
  }

  /** What was thrown says, as far as it may be told: the words of host code may quote arguments, prompts and outputs. */
  #wordsOf(error: unknown): string {
    if (this.#options.policy.emitContent || !(error instanceof HostFault)) return messageOf(error);
    return `${error.gist} (emitContent shows its message)`;
  }

  /** Attributes beyond the SDK's limit are dropped in silence; so what was written is read back. */
  #write(span: SpanLike, emitted: EmittedEvaluation): void {
    for (const [key, value] of Object.entries(spanAttributes(emitted))) {
      if (value === undefined) continue;
      span.setAttribute(key, value);
      if ((span.attributes as Attributes | undefined)?.[key] !== value) this.#attributesRefused += 1;
    }
  }

  #problemWithFile(level: "error" | "warning", path: string, message: string): void {
    this.#fileProblems += 1;
    this.#diagnostics[level === "error" ? "error" : "warn"](`file ${path}`, message);
  }
}

/** Each scorer of the host is told of by itself: one that fails must not hide another. */
function kindOf(kind: string, error: unknown): string {
  return kind === "scorer" && error instanceof HostFault ? `${kind} ${error.gist.split(":", 1)[0]}` : kind;
}

/** What the processor counts beside the engine. */
export interface ProcessorStats {
  /** Local roots that wait for their scores (`attach: "hold"`). */
  readonly roots_held: number;
  /** Span attributes that the SDK did not take, for example beyond its limit of 128. */
  readonly attributes_refused: number;
  /** Events for which there was no logger provider, or whose logger threw. */
  readonly events_lost: number;
}

function withoutArguments(explanation: Explanation | undefined): Explanation | undefined {
  if (explanation === undefined) return undefined;
  const stripped = (steps: readonly Step[]): Step[] => steps.map(({ args: _, ...step }) => step);
  return { ...explanation, steps: stripped(explanation.steps), tools: stripped(explanation.tools) };
}
