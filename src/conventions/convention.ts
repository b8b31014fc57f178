import type { Content, Kind, KindFacts, ReadOutput, SpanView } from "../model/span.ts";

export { PRECEDENCE } from "./precedence.ts";

/** What a rule says of a span: its kind, or `NONE` when it is surely no step. */
export type Verdict = Kind | "NONE";

/** One way to tell a span's kind. */
export interface KindRule {
  /** One of `PRECEDENCE`; the lowest strong answer wins. */
  readonly precedence: number;
  /** Undefined: no opinion, the next rule is asked. */
  readonly decide: (span: SpanView) => Verdict | undefined;
}

/** Copies content within the size limit; undefined for what is no content (absent, empty, redacted). */
export type KeepContent = (value: unknown) => Content | undefined;

/** What one convention knows of a TOOL span; gaps are filled from the next convention. */
export interface ToolReading {
  readonly name?: string | undefined;
  readonly callId?: string | undefined;
  readonly args?: Content | undefined;
  /** How `args` is read, where it is not plain JSON. */
  readonly readArgs?: KindFacts["readArgs"] | undefined;
}

/** One place in which an LLM span recorded its output: raw, parsed when asked after the trace was released. */
export interface OutputSource {
  /** Estimated bytes held. */
  readonly bytes: number;
  readonly read: () => ReadOutput;
}

/** A span of no kind that reports the failure of a TOOL span. */
export interface FailureReport {
  /** Its parent, or the latest TOOL of that raw name that started before it beneath the same parent. */
  readonly of: "parent" | "earlier";
  readonly name: string;
}

/**
 * A dialect in which instrumentations mark their spans.
 *
 * Every function is called once a span's trace is released, on what was held of the span; where the span itself may
 * carry scores, in the host's `span.end()`: no parsing of content, no patterns, as few allocations as possible. They may
 * assume nothing about attribute values and must not mutate them.
 */
export interface Convention {
  readonly name: string;
  /**
   * Attribute keys that make a span worth asking about: those of the rules, and those of names and content, since
   * another convention may give the kind. Keys that ordinary spans carry too do not belong here.
   */
  readonly markers: readonly string[];
  /** Beginnings of such keys, for flattened lists. */
  readonly markerPrefixes?: readonly string[];
  /**
   * Keys beside the markers whose values may be long or nested and are read: arguments and outputs. Values of all other
   * keys are held only where they are short. Absent: any attribute may be read, so that all are held, which costs memory
   * on every span with a marker.
   */
  readonly content?: readonly string[];
  /** Names of span events that are read; `exception` always is. Where `content` is absent, all are held. */
  readonly events?: readonly string[];
  /** Instrumentation scopes whose spans are always worth asking about. */
  readonly scopes?: readonly string[];
  /** Beginnings of span names that are worth asking about even without attributes. */
  readonly spanNames?: readonly string[];
  readonly rules: readonly KindRule[];
  readonly tool?: (span: SpanView, keep: KeepContent) => ToolReading | undefined;
  /** The agent's identity, if this convention names one. */
  readonly agent?: (span: SpanView) => string | undefined;
  /** An id in place of an identity, taken where no convention names the agent. */
  readonly agentId?: (span: SpanView) => string | undefined;
  /** True when the span's name is a constant of the emitter and names no agent. */
  readonly nameless?: (span: SpanView) => boolean;
  /** Places of the output, best first. */
  readonly outputs?: (span: SpanView, keep: KeepContent) => readonly OutputSource[];
  /** Why the model stopped, as recorded: text or a list of texts. */
  readonly finishReason?: (span: SpanView) => unknown;
  readonly outputTokens?: (span: SpanView) => unknown;
  /** Whether the act failed, where the convention says more than status, `error.type` and `exception` events. */
  readonly failed?: (span: SpanView, kind: Kind) => boolean | undefined;
  /** What a span of no kind reports about another. */
  readonly failureReport?: (span: SpanView) => FailureReport | undefined;
  /**
   * What a span of no kind holds of the output of a model call whose own span lacks it: of the LLM span around it, else
   * of those beneath it. Asked of the convention that said `NONE`.
   */
  readonly carriedOutputs?: (span: SpanView, keep: KeepContent) => readonly OutputSource[];
}
