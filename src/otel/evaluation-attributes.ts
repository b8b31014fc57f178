import type { Attributes } from "@opentelemetry/api";
import { sha256Hex } from "../model/digest.ts";
import { configDigest } from "../pipeline/evaluation-id.ts";
import type { EmittedEvaluation } from "../pipeline/sink.ts";
import { renderDiff } from "../report/diff-text.ts";
import * as names from "./semconv.ts";

/** How results may leave the process. */
export interface EmissionPolicy {
  /** Arguments may appear in explanations; otherwise they carry step names only. */
  readonly emitContent: boolean;
  /** `hash`: a SHA-256 prefix stands in for every session id, also inside unit ids. */
  readonly sessionId: "plain" | "hash";
}

/** Longest explanation, in bytes of UTF-8. */
const EXPLANATION_BYTES = 2_048;

/** Longest agent name that leaves, in characters. */
const MAX_NAME_LENGTH = 1_024;

/** The attributes of one `gen_ai.evaluation.result` event. */
export function eventAttributes(emitted: EmittedEvaluation, policy: EmissionPolicy): Attributes {
  const { unit, evaluation, evaluation_id, revision } = emitted;
  const { result, scorer, expectation } = evaluation;
  const attributes: Attributes = {
    [names.ATTR_EVALUATION_NAME]: scorer.metric_name,
    [names.ATTR_EVALUATION_ID]: evaluation_id,
    [names.ATTR_EVALUATION_REVISION]: revision,
    [names.ATTR_EVALUATION_STATUS]: result.status,
    [names.ATTR_COMPLETE]: unit.complete,
    [names.ATTR_UNIT]: unit.unit,
    [names.ATTR_UNIT_ID]: unitId(emitted, policy),
    [names.ATTR_SCORER_NAME]: scorer.name,
    [names.ATTR_SCORER_VERSION]: scorer.version,
    [names.ATTR_SCORER_DIGEST]: configDigest(scorer),
  };
  const set = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== "") attributes[name] = value;
  };
  if (unit.incomplete_reasons.length > 0) attributes[names.ATTR_INCOMPLETE_REASONS] = [...unit.incomplete_reasons];
  if (result.status === "scored") {
    attributes[names.ATTR_SCORE_VALUE] = result.score;
    set(names.ATTR_SCORE_LABEL, result.label);
  } else if (result.status === "non_evaluable") set(names.ATTR_EVALUATION_REASON, result.reason);
  else set(names.ATTR_ERROR_TYPE, result.error.type);
  set(names.ATTR_EXPLANATION, explanationOf(emitted, policy));
  if (expectation !== undefined) {
    set(names.ATTR_EXPECTATION_ID, expectation.id);
    set(names.ATTR_EXPECTATION_DIGEST, evaluation.expectation_digest);
    set(names.ATTR_EXPECTATION_STATUS, expectation.status ?? "proposed");
  }
  set(names.ATTR_SESSION_ID, unit.session_id === undefined ? undefined : sessionId(unit.session_id, policy));
  set(names.ATTR_AGENT_NAME, unit.agent?.slice(0, MAX_NAME_LENGTH));
  return attributes;
}

/** `trajectory.<metric_name>.*` of one result: score, label, status, reason, revision, the numbers of its metadata. */
export function spanAttributes(emitted: EmittedEvaluation): Attributes {
  const { evaluation, revision } = emitted;
  const { result, scorer } = evaluation;
  const prefix = `trajectory.${scorer.metric_name}`;
  const attributes: Attributes = {};
  // By weight: a span takes a limited number of attributes, and refuses those that come last.
  if (result.status === "scored") {
    attributes[`${prefix}.score`] = result.score;
    attributes[`${prefix}.label`] = result.label;
  } else attributes[`${prefix}.reason`] = result.status === "error" ? result.error.type : result.reason;
  attributes[`${prefix}.status`] = result.status;
  attributes[`${prefix}.revision`] = revision;
  if (result.status === "scored") {
    for (const [key, value] of Object.entries(result.metadata)) {
      const name = `${prefix}.${key}`;
      if (typeof value === "number" && Number.isFinite(value) && !(name in attributes)) attributes[name] = value;
    }
  }
  return attributes;
}

/** A session id as it may leave. */
export function sessionId(id: string, policy: EmissionPolicy): string {
  return policy.sessionId === "hash" ? sha256Hex(id).slice(0, 32) : id;
}

/** A unit id as it may leave: a session's holds its session id. */
export function unitId(emitted: Pick<EmittedEvaluation, "unit">, policy: EmissionPolicy): string {
  const { unit } = emitted;
  return unit.unit === "session" ? `session:${sessionId(unit.session_id ?? "", policy)}` : unit.unit_id;
}

/** What the event says in words: the alignment, without content unless the policy lets it out; empty for nothing. */
export function explanationOf(emitted: EmittedEvaluation, policy: EmissionPolicy): string {
  const { result } = emitted.evaluation;
  if (result.status === "error") return policy.emitContent ? cut(result.error.message) : "";
  return cut(renderDiff(result, { arguments: policy.emitContent }));
}

/** At most {@link EXPLANATION_BYTES}; whole lines where there are any, so that no name is cut in two. */
function cut(text: string): string {
  if (byteLength(text) <= EXPLANATION_BYTES) return text;
  const lines = text.split("\n");
  const mark = "...";
  let kept = "";
  for (const line of lines) {
    if (byteLength(kept) + byteLength(line) + 1 + mark.length > EXPLANATION_BYTES) break;
    kept += `${line}\n`;
  }
  return `${kept}${mark}`;
}

/** Length in UTF-8. */
function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
