/**
 * Where a rule stands among the rules of all conventions. Rules are asked in this order, and the first that has an
 * opinion gives the kind: spans carry several dialects at once, since converters and other processors add theirs to
 * what they found, and the later entries are what such converters guess.
 *
 * The kind is decided first, the identity after it: a name (`gen_ai.agent.name` is copied onto every span beneath an
 * agent) never makes an AGENT. Name and arguments are then taken from the convention that gave the kind; what it does
 * not record is filled from the others, in the order of `DEFAULT_CONVENTIONS`.
 */
export const PRECEDENCE = {
  /** What the user says: the `mapSpan` hook, then `aip.span.kind`. */
  override: 1,
  /** Bookkeeping that would be phantom steps: merged tools, events of one call, protocol traffic, evaluators. */
  exclusion: 2,
  /** Set by hand or by a framework's handler: `langfuse.observation.type`; the span named like its `lc_agent_name`. */
  observation: 3,
  /** Span types of frameworks, richer than the operation that they also emit: Mastra, Genkit, VoltAgent, … */
  framework: 4,
  /** `mcp.method.name`: the operation beside it is only set for tool calls. */
  protocol: 5,
  /** `ai.operationId`, `operation.name`: they survive rewriting by other processors, and tell outer from inner spans. */
  operationId: 6,
  /** `gen_ai.operation.name`: beats kinds that converters derived from it. */
  operation: 7,
  /** `openinference.span.kind`; `CHAIN` and `UNKNOWN` say nothing. */
  openInference: 8,
  /** `traceloop.span.kind`; `workflow` and `task` say nothing. */
  traceloop: 9,
  /** Explicit, but rarer: `sentry.op`, `mlflow.spanType`, `_ml_obs.meta.span.kind`, Pydantic AI's first span names. */
  rare: 10,
  /** No kind is said; the attributes are those of a tool call and not of a model call. */
  toolShape: 11,
  /** No kind is said; the attributes are those of a model call. After tools, since agents carry models too. */
  modelShape: 12,
  /** Nothing but the span's name. */
  spanName: 13,
} as const;
