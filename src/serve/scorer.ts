import { createSpanReader, type SpanReader } from "../conventions/read-span.ts";
import { createSources } from "../expectation/create-sources.ts";
import { createResolver, needsExpectation, type Resolver } from "../expectation/resolve.ts";
import { openExpectationFile } from "../files/index.ts";
import { HostFault, messageOf, typeOf } from "../model/errors.ts";
import type { HeldSpan } from "../model/held-span.ts";
import type { AttributeMap, SpanAnnotation } from "../model/span.ts";
import { EventEmitter } from "../otel/emit-events.ts";
import { MetricEmitter } from "../otel/emit-metrics.ts";
import type { EmissionPolicy } from "../otel/evaluation-attributes.ts";
import { createSinks } from "../otel/sinks.ts";
import { Engine } from "../pipeline/engine.ts";
import type { EngineHost } from "../pipeline/engine-host.ts";
import type { ResolvedEngineOptions } from "../pipeline/options.ts";
import { SILENT_SINK, type Sink } from "../pipeline/sink.ts";
import { hostRuntime, type Runtime } from "../pipeline/timers.ts";
import type { JsonLog } from "./json-log.ts";
import type { Quiet } from "./quiet.ts";
import { emittedRow, type RowOutput } from "./row-output.ts";
import type { Telemetry } from "./telemetry.ts";

export interface ScorerParts {
  readonly options: ResolvedEngineOptions;
  /** A file of expectations, followed while it changes. */
  readonly expectations: string | undefined;
  readonly policy: EmissionPolicy;
  readonly telemetry: Telemetry;
  readonly rows: RowOutput | undefined;
  readonly log: JsonLog;
  readonly quiet: Quiet;
}

/** The engine of a service, and what readiness asks about. */
export interface Scorer extends Pick<Scoring, "resolver" | "expects"> {
  readonly engine: Engine;
}

/** Said at the start where results may be waited for in vain. */
export const NOTHING_EXPECTED: string =
  "no expectations are given: only traces whose spans say what is expected (aip.expected_*) get a score";

/** Follows what comes in and hands results to the providers: the engine of the processor, with another face. */
export function createScorer(parts: ScorerParts): Scorer {
  const { newEngine, ...scoring } = createScoring(parts, {
    stats: () => engine.stats(),
    problem: (kind, error) => engine.problem(kind, error),
  });
  const engine: Engine = newEngine(parts.options);
  return { ...scoring, engine };
}

/** What engines of one service share: where expectations come from, and where results go. */
export interface Scoring {
  readonly resolver: Resolver;
  /** Whether anything but a trace's own spans may say what is expected of it. */
  readonly expects: boolean;
  readonly newEngine: (
    options: ResolvedEngineOptions,
    host?: Pick<EngineHost, "clock" | "over" | "sessions">,
  ) => Engine;
}

/** @param all what is known of all engines together, and whom to tell of a fault that is no single one's */
export function createScoring(parts: ScorerParts, all: Pick<Engine, "stats" | "problem">): Scoring {
  const { options, policy, telemetry, quiet } = parts;
  const sources = createSources(parts.expectations, {
    timers: guarded((error) => all.problem("timer", error)),
    timeoutMillis: 5_000,
    openFile: (path) =>
      openExpectationFile(path, {
        timers: guarded((error) => all.problem("timer", error)),
        onProblem: ({ level, message }) => parts.log[level === "error" ? "error" : "warn"](message, { file: path }),
      }),
  });
  const resolver = createResolver({ sources });
  const metrics = new MetricEmitter(
    telemetry.meterProvider,
    () => all.stats(),
    "trajectory_span_processor/0",
    options.limits.maxTraces * options.limits.maxSpansPerTrace,
  );
  const sinks = createSinks({
    events: new EventEmitter(telemetry.loggerProvider, policy),
    metrics,
    hold: undefined,
    attach: telemetry.tracerProvider === undefined ? "none" : "span",
    tracerProvider: telemetry.tracerProvider,
    policy,
    eventLost: () => all.problem("event", new Error("a result could not be handed to the exporter")),
  });
  // So that there is something to be scraped before the first result.
  metrics.ready();
  const newEngine: Scoring["newEngine"] = (engineOptions, host = {}) => {
    const reader = createSpanReader({
      onProblem: (kind, error) => engine.problem(kind, new HostFault(typeOf(error), messageOf(error))),
      maxContentBytes: options.maxContentBytes,
      keepAttributes: sources.some((source) => source.readsAttributes !== false) ? "roots" : "none",
    });
    const engine: Engine = new Engine(engineOptions, {
      ...host,
      runtime: guarded((error) => engine.problem("timer", error)),
      resolver,
      reader: weighing(reader),
      sinks: parts.rows === undefined ? sinks : [...sinks, rowSink(parts.rows, policy)],
      problem: (kind, error) => quiet.error(kind, { problem: kind, what: wordsOf(error) }),
      notice: (kind, message) => quiet.warn(message, { notice: kind }),
    });
    return engine;
  };
  const expects = resolver.hasSources || !options.scorers.every(needsExpectation);
  return { resolver, expects, newEngine };
}

/** The words of code that is not ours may quote content; its type does not. */
function wordsOf(error: unknown): string {
  return error instanceof HostFault ? error.gist : messageOf(error);
}

function rowSink(rows: RowOutput, policy: EmissionPolicy): Sink {
  return {
    ...SILENT_SINK,
    emit: (emitted) => rows.write(emittedRow(emitted, policy)),
  };
}

/** What a timer throws would end the process. */
function guarded(problem: (error: unknown) => void): Runtime {
  return {
    ...hostRuntime,
    setTimer: (callback, millis, keepAlive) =>
      hostRuntime.setTimer(
        () => {
          try {
            callback();
          } catch (error) {
            problem(error);
          }
        },
        millis,
        keepAlive,
      ),
  };
}

/**
 * Counts what spans hold besides their own facts: in a process of its own, scopes and resources are the agent's and
 * there once; here senders make them up.
 */
function weighing(reader: SpanReader): SpanReader {
  let resource: AttributeMap | undefined;
  let scope = "";
  return {
    ...reader,
    hold(view, seq, localRoot): HeldSpan {
      const facts = reader.read(view, seq, localRoot);
      let more = weightOfAnnotation(facts.annotation);
      // Neighbours share theirs.
      if (view.resource !== resource) {
        resource = view.resource;
        more += weightOf(resource);
      }
      if (view.scope_name !== scope) {
        scope = view.scope_name;
        more += (scope.length + view.scope_version.length) * 2;
      }
      return more === 0 ? facts : { ...facts, bytes: facts.bytes + more };
    },
  };
}

function weightOfAnnotation(annotation: SpanAnnotation | undefined): number {
  if (annotation === undefined) return 0;
  const { expected_steps, expected_tools, expected_calls } = annotation;
  return weightOf({ expected_steps, expected_tools, expected_calls });
}

const MEMBER_BYTES = 64;

/** About as many bytes as a value occupies. */
function weightOf(value: unknown): number {
  if (typeof value === "string") return value.length * 2 + MEMBER_BYTES;
  if (typeof value !== "object" || value === null) return MEMBER_BYTES;
  let bytes = MEMBER_BYTES;
  for (const [key, member] of Object.entries(value)) bytes += key.length * 2 + weightOf(member);
  return bytes;
}
