/**
 * The engine without OpenTelemetry: scorers, expectations, alignment, and spans to steps.
 *
 * @packageDocumentation
 */
export { align } from "./align/align.ts";
export type { AlignmentEntry, AlignmentInput, AlignmentResult, ClassEquality } from "./align/alignment.ts";
export { own as ownAttribute, text as textAttribute } from "./conventions/attributes.ts";
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
export type { ConventionName } from "./conventions/defaults.ts";
export { CONVENTIONS, DEFAULT_CONVENTIONS } from "./conventions/defaults.ts";
export type { MapSpan, SpanMapping } from "./conventions/map-span.ts";
export type { ColumnValues, ParsedColumn } from "./expectation/parse.ts";
export { parseColumn, parseExpectations } from "./expectation/parse.ts";
export type { ErrorCode } from "./model/errors.ts";
export { TrajectoryError } from "./model/errors.ts";
export type {
  AcceptableTrajectories,
  AlternativeStep,
  Column,
  Expectation,
  ExpectationMatch,
  ExpectationRequest,
  ExpectationRule,
  ExpectedCall,
  ExpectedStep,
  ExpectedSteps,
  MaxCalls,
  OptionalStep,
} from "./model/expectation.ts";
export type { Explanation, SpanExplanation, SpanReason } from "./model/explanation.ts";
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
export { renderExplanation } from "./report/explain-text.ts";
export type { Agreement, AgreementRow } from "./score/agreement.ts";
export { agreement } from "./score/agreement.ts";
export type { ArgumentConfig, ArgumentRules, CompareArguments } from "./score/arguments/policy.ts";
export type { BuiltInScorer } from "./score/built-in.ts";
export type { ForbiddenToolsConfig } from "./score/checks/forbidden-tools.ts";
export { forbiddenTools } from "./score/checks/forbidden-tools.ts";
export type { MaxCallsConfig } from "./score/checks/max-calls.ts";
export { maxCalls } from "./score/checks/max-calls.ts";
export type { CommonConfig } from "./score/config.ts";
export type { ScorerDefinition } from "./score/define-scorer.ts";
export { defineScorer } from "./score/define-scorer.ts";
export type { JudgeAnswer } from "./score/judge/answer.ts";
export type { JudgeConfig, JudgeFunction } from "./score/judge/judge.ts";
export { judge } from "./score/judge/judge.ts";
export { manifests } from "./score/manifests.ts";
export { exactMatch } from "./score/path/exact-match.ts";
export { inOrderSubset } from "./score/path/in-order-subset.ts";
export { orderAware } from "./score/path/order-aware.ts";
export type { PathConfig, SetOverlapConfig } from "./score/path/path-config.ts";
export type { PresetName } from "./score/path/presets.ts";
export { PRESET_NAMES, preset } from "./score/path/presets.ts";
export { setOverlap } from "./score/path/set-overlap.ts";
export { stepCredit } from "./score/path/step-credit.ts";
export { toolF1 } from "./score/path/tool-f1.ts";
export type { ToolTrajectoryAverage } from "./score/path/tool-trajectory-avg.ts";
export { toolTrajectoryAvg } from "./score/path/tool-trajectory-avg.ts";
export type { MatchMode, TrajectoryMatchConfig } from "./score/path/trajectory-match.ts";
export { trajectoryMatch } from "./score/path/trajectory-match.ts";
export type { RubricConfig } from "./score/rubric/rubric.ts";
export { rubric } from "./score/rubric/rubric.ts";
export type { RubricOutcome, RubricRule, RubricRules, RuleOutcome } from "./score/rubric/rules.ts";
export { applyRules } from "./score/rubric/rules.ts";
export { stepAccuracy } from "./score/step-accuracy.ts";
export type { StepAccuracyConfig } from "./score/step-accuracy-config.ts";
export { toolSelectionAccuracy } from "./score/tool-selection-accuracy.ts";
export type { ToolSelectionAccuracyConfig } from "./score/tool-selection-config.ts";
export type { TrajectoryShapeConfig } from "./score/trajectory-shape.ts";
export { trajectoryShape } from "./score/trajectory-shape.ts";
