/**
 * OpenTelemetry span processor that scores the path an agent took.
 *
 * @packageDocumentation
 */
export type {
  AlignedStep,
  AlignmentEntry,
  AlignmentInput,
  AlignmentResult,
  Annotations,
  AttributeMap,
  BuiltInScorer,
  ClassEquality,
  Column,
  ColumnValues,
  CommonConfig,
  Content,
  Convention,
  DiffOptions,
  Egress,
  EmbeddedCall,
  ErrorCode,
  Errored,
  Expectation,
  ExpectationMatch,
  ExpectationRequest,
  ExpectationRule,
  ExpectedCall,
  ExpectedStep,
  FailureReport,
  IncompleteReason,
  KeepContent,
  Kind,
  KindFacts,
  KindRule,
  Label,
  Manifest,
  Member,
  NonEvaluable,
  Occurrence,
  OutputSource,
  ParsedColumn,
  ReadOutput,
  ReasonCode,
  Scored,
  ScoreResult,
  Scorer,
  ScorerDefinition,
  SpanEvent,
  SpanKindName,
  SpanRecord,
  SpanView,
  StatusName,
  Step,
  StepAccuracyConfig,
  ToolReading,
  ToolSelectionAccuracyConfig,
  TrajectoryOfOptions,
  TrajectoryOptions,
  Unit,
  Verdict,
} from "./core.ts";
export {
  align,
  DEFAULT_CONVENTIONS,
  defineScorer,
  manifests,
  PRECEDENCE,
  parseColumn,
  parseExpectations,
  renderDiff,
  SCOPE_NAME,
  stepAccuracy,
  TrajectoryError,
  toolSelectionAccuracy,
  trajectoryOf,
  VERSION,
} from "./core.ts";
export type { ExpectationFinder, ExpectationInput, ExpectationsOption } from "./expectation/create-sources.ts";
export type { ExpectationFunction } from "./expectation/from-function.ts";
export type { ExpectationSource } from "./expectation/source.ts";
export { withExpectation, withSession } from "./otel/context.ts";
export type { AttachMode, TrajectorySpanProcessorOptions } from "./otel/options.ts";
export type { SamplerLike } from "./otel/record-unsampled.ts";
export { recordUnsampled } from "./otel/record-unsampled.ts";
export type { LoggerProviderLike, SpanLike, SpanProcessorLike } from "./otel/span-like.ts";
export type { ProcessorStats } from "./otel/span-processor.ts";
export { TrajectorySpanProcessor } from "./otel/span-processor.ts";
export type { EngineOptions } from "./pipeline/options.ts";
export type { DropReason, TrajectoryStats } from "./pipeline/stats.ts";
