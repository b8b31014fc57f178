import { show } from "../../model/errors.ts";

/** What a judge may say: a score from 0 to 1, or one with more about it. */
export type JudgeAnswer =
  | number
  | {
      readonly score: number;
      /** Put into `metadata.explanation`. It is the judge's own text: what it may quote is the judge's affair. */
      readonly explanation?: string | undefined;
      /** Put into `metadata`. */
      readonly metadata?: Readonly<Record<string, unknown>> | undefined;
    };

/** An answer that can be used, or what is wrong with it. */
export type CheckedAnswer =
  | { readonly ok: true; readonly score: number; readonly metadata: Record<string, unknown> }
  | { readonly ok: false; readonly message: string };

/** Reads an answer; it may be anything, getters that throw included. */
export function checkAnswer(answer: unknown): CheckedAnswer {
  try {
    return read(answer);
  } catch {
    return { ok: false, message: "the answer could not be read" };
  }
}

function read(answer: unknown): CheckedAnswer {
  if (typeof answer === "number") return withScore(answer, {});
  if (typeof answer !== "object" || answer === null) {
    return { ok: false, message: `must answer with a score from 0 to 1, got ${show(answer)}` };
  }
  const { score, explanation, metadata } = answer as { score?: unknown; explanation?: unknown; metadata?: unknown };
  const more: Record<string, unknown> = {};
  if (metadata !== undefined) {
    if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
      return { ok: false, message: `metadata: must be an object, got ${show(metadata)}` };
    }
    Object.assign(more, metadata);
  }
  if (explanation !== undefined) {
    if (typeof explanation !== "string") {
      return { ok: false, message: `explanation: must be text, got ${show(explanation)}` };
    }
    more.explanation = explanation;
  }
  return withScore(score, more);
}

function withScore(score: unknown, metadata: Record<string, unknown>): CheckedAnswer {
  if (typeof score === "number" && score >= 0 && score <= 1) return { ok: true, score, metadata };
  return { ok: false, message: `score: must be a number from 0 to 1, got ${show(score)}` };
}
