import { messageOf, placeOf, typeOf } from "../model/errors.ts";
import { LABELS, type Label, REASON_CODES, type ReasonCode, type ScoreResult } from "../model/result.ts";

/**
 * Host code may return anything: what is no result becomes an error, so that no NaN and no nonsense is emitted, and no
 * list grows by what it invents. Metadata is copied here, since reading it may run host code.
 */
export function checkedResult(result: ScoreResult): ScoreResult {
  try {
    return checked(result);
  } catch (error) {
    // Reading it throws.
    return failure(error);
  }
}

/** What helps whoever has to mend it and quotes nothing of the host: where it was thrown, or what was expected. */
const HINTS = new WeakMap<ScoreResult, string>();

/** The error of a scorer that threw. */
export function failure(error: unknown): ScoreResult {
  const result: ScoreResult = { status: "error", error: { type: typeOf(error), message: messageOf(error) } };
  const place = placeOf(error);
  if (place !== undefined) HINTS.set(result, place);
  return result;
}

/** Where the scorer threw, `at deep (file:///app/scorer.mjs:3:20)`, or what its result should have been; if known. */
export function hintOf(result: ScoreResult): string | undefined {
  return HINTS.get(result);
}

function checked(result: ScoreResult): ScoreResult {
  if (result === null || typeof result !== "object") return invalid("a scorer must return a result", typeof result);
  switch (result.status) {
    case "scored": {
      const { score, label = "informational" } = result as { score: unknown; label?: Label };
      if (typeof score !== "number" || !(score >= 0 && score <= 1)) {
        return invalid("score must be a number from 0 to 1", String(score));
      }
      if (!LABELS.includes(label)) return invalid(`label must be one of ${LABELS.join(", ")}`);
      return { status: "scored", score, label, metadata: metadataOf(result.metadata) ?? {} };
    }
    case "non_evaluable": {
      const { reason, metadata } = result as { reason: ReasonCode; metadata?: unknown };
      if (!REASON_CODES.includes(reason)) return invalid(`reason must be one of ${REASON_CODES.join(", ")}`);
      const copy = metadataOf(metadata);
      return { status: "non_evaluable", reason, ...(copy === undefined ? {} : { metadata: copy }) };
    }
    case "error":
      return typeof result.error?.type === "string" ? result : invalid("an error result must have error.type");
    default:
      return invalid("status must be scored, non_evaluable or error", String((result as { status?: unknown }).status));
  }
}

/** A copy as plain data; what is none (functions, symbols) is left out. Throws what reading it throws. */
function metadataOf(metadata: unknown): Record<string, unknown> | undefined {
  if (typeof metadata !== "object" || metadata === null) return undefined;
  try {
    return structuredClone(metadata) as Record<string, unknown>;
  } catch {
    return JSON.parse(JSON.stringify(metadata)) as Record<string, unknown>;
  }
}

function invalid(expected: string, got?: string): ScoreResult {
  const message = got === undefined ? expected : `${expected}, got ${got}`;
  const result: ScoreResult = { status: "error", error: { type: "invalid_result", message } };
  HINTS.set(result, `(${expected})`);
  return result;
}
