/**
 * The engine without OpenTelemetry: scorers, expectations, alignment, and spans to steps.
 *
 * @packageDocumentation
 */
export { align } from "./align/align.ts";
export type { AlignmentEntry, AlignmentInput, AlignmentResult, ClassEquality } from "./align/alignment.ts";
export type {
  Convention,
  FailureReport,
  KeepContent,
  KindRule,
  OutputSource,
  ToolReading,
  Verdict,
} from "./conventions/convention.ts";
export { PRECEDENCE } from "./conventions/convention.ts";
export { DEFAULT_CONVENTIONS } from "./conventions/defaults.ts";
export type { ColumnValues, ParsedColumn } from "./expectation/parse.ts";
export { parseColumn, parseExpectations } from "./expectation/parse.ts";
export type { ErrorCode } from "./model/errors.ts";
export { TrajectoryError } from "./model/errors.ts";
export type {
  Column,
  Expectation,
  ExpectationMatch,
  ExpectationRequest,
  ExpectationRule,
  ExpectedCall,
  ExpectedStep,
} from "./model/expectation.ts";
export type {
  AlignedStep,
  Errored,
  Label,
  NonEvaluable,
  ReasonCode,
  Scored,
  ScoreResult,
} from "./model/result.ts";
export type { Annotations, Manifest, Scorer } from "./model/scorer.ts";
export type {
  AttributeMap,
  Content,
  EmbeddedCall,
  Kind,
  KindFacts,
  ReadOutput,
  SpanEvent,
  SpanKindName,
  SpanRecord,
  SpanView,
  StatusName,
} from "./model/span.ts";
export type {
  Egress,
  IncompleteReason,
  Member,
  Occurrence,
  Step,
  TrajectoryOptions,
  Unit,
} from "./model/trajectory.ts";
export { SCOPE_NAME, VERSION } from "./model/version.ts";
export type { TrajectoryOfOptions } from "./pipeline/trajectory-of.ts";
export { trajectoryOf } from "./pipeline/trajectory-of.ts";
export type { DiffOptions } from "./report/diff-text.ts";
export { renderDiff } from "./report/diff-text.ts";
export type { BuiltInScorer } from "./score/built-in.ts";
export type { CommonConfig } from "./score/config.ts";
export type { ScorerDefinition } from "./score/define-scorer.ts";
export { defineScorer } from "./score/define-scorer.ts";
export { manifests } from "./score/manifests.ts";
export { stepAccuracy } from "./score/step-accuracy.ts";
export type { StepAccuracyConfig } from "./score/step-accuracy-config.ts";
export { toolSelectionAccuracy } from "./score/tool-selection-accuracy.ts";
export type { ToolSelectionAccuracyConfig } from "./score/tool-selection-config.ts";
