import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import type { Convention } from "../conventions/convention.ts";
import type { MapSpan } from "../conventions/map-span.ts";
import type { ExpectationsOption } from "../expectation/create-sources.ts";
import { messageOf, show, TrajectoryError } from "../model/errors.ts";
import type { Annotations } from "../model/scorer.ts";
import { bad, type EngineOptions, oneOf, ratioOfText, whole } from "../pipeline/options.ts";
import type { EmissionPolicy } from "./evaluation-attributes.ts";
import type { LoggerProviderLike, SpanProcessorLike } from "./span-like.ts";

/** Where scores go besides events and metrics. */
export type AttachMode = "ending" | "hold" | "span" | "none";

/** Options of {@link TrajectorySpanProcessor}. All are optional; wrong ones throw, naming option, value and what is allowed. */
export interface TrajectorySpanProcessorOptions extends EngineOptions {
  /** A path (YAML or JSON, followed while it changes), expectations, a function, a source, or a list of those. */
  readonly expectations?: ExpectationsOption | undefined;
  /** Unit id, or bare trace or session id -> column -> JSON text. */
  readonly annotations?: Annotations | undefined;
  /** Time limit of one answer of a function, and of the first load of a file, in ms. @defaultValue 5000 */
  readonly expectationTimeoutMillis?: number | undefined;
  /** How often an expectations file is looked at, in ms. @defaultValue 5000 */
  readonly expectationPollMillis?: number | undefined;
  /**
   * `ending`: scores are attributes of the local root, written while it ends, where they are ready by then.
   * `hold`: local roots are held back, decorated when scored, and forwarded to `next`. `span`: an evaluation span of
   * our own beneath the root. `none`: events and metrics only. @defaultValue "ending"
   */
  readonly attach?: AttachMode | undefined;
  /** `attach: "hold"` only: the processor that everything is forwarded to. */
  readonly next?: SpanProcessorLike | undefined;
  /** `attach: "hold"` only: how long a local root waits for its score, in ms. @defaultValue 5000 */
  readonly holdMillis?: number | undefined;
  /** `attach: "ending"` only: traces with more steps are not scored while their root ends. @defaultValue 200 */
  readonly endingMaxSteps?: number | undefined;
  /** @defaultValue the API's global */
  readonly tracerProvider?: TracerProvider | undefined;
  /** @defaultValue the API's global, looked up at each use */
  readonly meterProvider?: MeterProvider | undefined;
  /** @defaultValue the global of either logs API, looked up at each use */
  readonly loggerProvider?: LoggerProviderLike | undefined;
  /** `hash`: a hash is emitted in place of session ids. @defaultValue "plain" */
  readonly sessionId?: "plain" | "hash" | undefined;
  /**
   * Puts the session id that context (`withSession`) or baggage (`session.id`) carries on every span as it starts, so
   * that whatever receives the spans can route them by session: under `session.id`, or under the key that is given.
   * What is on the span by then stays. It leaves with your spans; `sessionId: "hash"` puts the hash there.
   * Scores do not change. @defaultValue false
   */
  readonly stampSession?: boolean | string | undefined;
  /** Lets content (arguments, messages of errors) into what is emitted, explained and said through `diag`. @defaultValue false */
  readonly emitContent?: boolean | undefined;
  /**
   * How long `forceFlush`, `drain` and `shutdown` take at most, each in all, in ms. A fourth of it is kept for `next`,
   * where there is one. @defaultValue 5000
   */
  readonly flushTimeoutMillis?: number | undefined;
  /** How spans are read, in order of precedence. @defaultValue `defaultConventions` */
  readonly conventions?: readonly Convention[] | undefined;
  /**
   * What a span is, where you know better: called with every ended span, before any convention. It runs in the host's
   * `span.end()`; what it throws is counted, and the conventions decide. @defaultValue none
   */
  readonly mapSpan?: MapSpan | undefined;
  /** Does nothing at all (`attach: "hold"` still forwards). @defaultValue false */
  readonly disabled?: boolean | undefined;
}

/** The options of the face, complete. */
export interface ResolvedFaceOptions {
  readonly expectations: ExpectationsOption | undefined;
  readonly annotations: Annotations | undefined;
  readonly expectationTimeoutMillis: number;
  readonly expectationPollMillis: number;
  readonly attach: AttachMode;
  readonly next: SpanProcessorLike | undefined;
  readonly holdMillis: number;
  readonly endingMaxSteps: number;
  readonly policy: EmissionPolicy;
  /** The attribute that session ids are put under. */
  readonly stampKey: string | undefined;
  readonly flushTimeoutMillis: number;
  readonly disabled: boolean;
}

const NAMES: ReadonlySet<string> = new Set<keyof TrajectorySpanProcessorOptions>([
  "annotations",
  "attach",
  "conventions",
  "defaultEgress",
  "disabled",
  "emitContent",
  "endingMaxSteps",
  "expectationPollMillis",
  "expectationTimeoutMillis",
  "expectations",
  "flushTimeoutMillis",
  "holdMillis",
  "idleMillis",
  "lateSpanMillis",
  "lateWindowMillis",
  "loggerProvider",
  "mapSpan",
  "maxBufferedBytes",
  "maxContentBytes",
  "maxFinishedTraces",
  "maxScorerQueue",
  "maxSessionMillis",
  "maxSessions",
  "maxSpansPerTrace",
  "maxStepsPerSession",
  "maxTraceMillis",
  "maxTraces",
  "meterProvider",
  "next",
  "openIdleMillis",
  "sampleRatio",
  "scorerTimeoutMillis",
  "scorers",
  "sessionId",
  "sessionIdleMillis",
  "stampSession",
  "tracerProvider",
  "trajectory",
]);

/** Checks the face's options and fills in their defaults. @throws TrajectoryError `invalid_option` */
export function resolveFaceOptions(options: TrajectorySpanProcessorOptions): ResolvedFaceOptions {
  for (const name of Object.keys(options)) {
    if (!NAMES.has(name)) {
      throw new TrajectoryError("invalid_option", name, `${name}: no such option; there are ${[...NAMES].join(", ")}`);
    }
  }
  const attach = oneOf("attach", options.attach ?? "ending", ["ending", "hold", "span", "none"]);
  if (attach === "hold" && typeof options.next?.onEnd !== "function") {
    throw bad("next", options.next, 'a span processor, because attach is "hold"');
  }
  if (attach !== "hold" && options.next !== undefined) {
    throw new TrajectoryError("invalid_option", "next", `next: only for attach: "hold", but attach is ${show(attach)}`);
  }
  return {
    expectations: options.expectations,
    annotations: options.annotations,
    expectationTimeoutMillis: whole("expectationTimeoutMillis", options.expectationTimeoutMillis ?? 5_000, 1),
    expectationPollMillis: whole("expectationPollMillis", options.expectationPollMillis ?? 5_000, 1),
    attach,
    next: options.next,
    holdMillis: whole("holdMillis", options.holdMillis ?? 5_000, 0),
    endingMaxSteps: whole("endingMaxSteps", options.endingMaxSteps ?? 200, 0),
    policy: {
      emitContent: flag("emitContent", options.emitContent ?? false),
      sessionId: oneOf("sessionId", options.sessionId ?? "plain", ["plain", "hash"]),
    },
    stampKey: stampKeyOf(options.stampSession ?? false),
    flushTimeoutMillis: whole("flushTimeoutMillis", options.flushTimeoutMillis ?? 5_000, 0),
    disabled: flag("disabled", options.disabled ?? false),
  };
}

function stampKeyOf(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value !== "boolean") throw bad("stampSession", value, "true, false or an attribute key");
  return value ? "session.id" : undefined;
}

function flag(name: string, value: unknown): boolean {
  if (typeof value !== "boolean") throw bad(name, value, "true or false");
  return value;
}

/**
 * `TRAJECTORY_DISABLED`, `TRAJECTORY_EXPECTATIONS`, `TRAJECTORY_SAMPLE_RATIO`, read as OpenTelemetry reads its own:
 * empty means unset, booleans are true only for "true" in any case. Options in code win.
 *
 * @throws TrajectoryError `invalid_option` for options that are no object
 */
export function withEnvironment(
  options: TrajectorySpanProcessorOptions,
  warn: (message: string) => void,
): TrajectorySpanProcessorOptions {
  if (typeof options !== "object" || options === null) throw bad("options", options, "an object");
  const host = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } };
  const read = (name: string): string => host.process?.env?.[name]?.trim() ?? "";
  const found: { disabled?: boolean; expectations?: string; sampleRatio?: number } = {};
  if (read("TRAJECTORY_DISABLED").toLowerCase() === "true") found.disabled = true;
  const expectations = read("TRAJECTORY_EXPECTATIONS");
  if (expectations !== "") found.expectations = expectations;
  const share = read("TRAJECTORY_SAMPLE_RATIO");
  if (share !== "") {
    try {
      found.sampleRatio = ratioOfText("TRAJECTORY_SAMPLE_RATIO", share);
    } catch (error) {
      warn(`${messageOf(error)}; it is ignored`);
    }
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...found, ...given };
}
