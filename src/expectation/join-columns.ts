import { digestOf } from "../model/digest.ts";
import type { Expectation } from "../model/expectation.ts";
import type { ColumnResolution } from "../model/resolution.ts";

/**
 * Joins what was found for several columns into one expectation, for a scorer that uses them together.
 *
 * It is approved only if all of it is, and the unit's own only if all of it is; the id is the one they share, else none;
 * the digest covers those of all columns. Where no column resolved, the first failure is the answer.
 */
export function joinColumns(outcomes: readonly ColumnResolution[]): ColumnResolution {
  const resolved = outcomes.filter((outcome) => outcome.state === "resolved");
  const [first] = resolved;
  if (first === undefined) return outcomes.find((outcome) => outcome.state === "failed") ?? { state: "none" };
  if (resolved.length === 1) return first;
  const parts = resolved.map(({ expectation }) => expectation);
  const { id } = first.expectation;
  const joined: Expectation = Object.assign({}, ...parts, {
    status: parts.every((part) => part.status === "approved") ? "approved" : "proposed",
    origin: parts.every((part) => part.origin === "own") ? "own" : "run",
  });
  const { id: _last, ...rest } = joined;
  const shared = id !== undefined && parts.every((part) => part.id === id);
  return {
    state: "resolved",
    expectation: Object.freeze(shared ? { id, ...rest } : rest),
    digest: digestOf(resolved.map(({ digest }) => digest)),
  };
}
