import type { Content, Kind, KindFacts, ReadOutput, SpanView } from "../model/span.ts";

/** What a rule says of a span: its kind, or `NONE` when it is surely no step. */
export type Verdict = Kind | "NONE";

/**
 * Where a rule stands among the rules of all conventions; the lowest strong answer wins. The order matters because
 * spans carry several dialects at once (converters add theirs to what they found).
 */
export const PRECEDENCE = {
  /** Our own `aip.span.kind`. */
  override: 1,
  /** Bookkeeping that would be phantom steps: merged tools, events of one call, evaluators. */
  exclusion: 2,
  /** Set by hand or by a framework handler. */
  observation: 3,
  /** Frameworks whose own span type is richer than the operation they also emit. */
  framework: 4,
  /** Model Context Protocol. */
  protocol: 5,
  /** Vercel AI SDK operation ids: they survive rewriting by other processors. */
  operationId: 6,
  /** `gen_ai.operation.name`. */
  operation: 7,
  /** `openinference.span.kind`. */
  openInference: 8,
  /** `traceloop.span.kind`. */
  traceloop: 9,
  /** Explicit, but rarer. */
  rare: 10,
  /** No kind is said; the attributes are those of a tool call. */
  toolShape: 11,
  /** No kind is said; the attributes are those of a model call. */
  modelShape: 12,
  /** Nothing but the span's name. */
  spanName: 13,
} as const;

/** One way to tell a span's kind. */
export interface KindRule {
  /** One of {@link PRECEDENCE}. */
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
 * Every function is called in the host's `span.end()`: no parsing of content, no patterns, as few allocations as
 * possible. They may assume nothing about attribute values and must not mutate them.
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
}
