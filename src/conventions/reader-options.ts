import { show, TrajectoryError } from "../model/errors.ts";
import type { Convention } from "./convention.ts";

/**
 * Checks a list of conventions.
 *
 * @throws TrajectoryError `invalid_option` with the path of what cannot be used
 */
export function checkConventions(conventions: readonly Convention[]): readonly Convention[] {
  if (!Array.isArray(conventions)) throw unusable("conventions", "a list of conventions", conventions);
  const names = new Set<string>();
  conventions.forEach((convention: unknown, index) => {
    const path = `conventions[${index}]`;
    if (typeof convention !== "object" || convention === null) throw unusable(path, "a convention", convention);
    const { name, markers, rules } = convention as Partial<Record<keyof Convention, unknown>>;
    if (typeof name !== "string" || name === "") throw unusable(`${path}.name`, "a text", name);
    if (names.has(name)) throw unusable(`${path}.name`, "a name that no other convention has", name);
    names.add(name);
    if (!isListOf(markers, (key) => typeof key === "string"))
      throw unusable(`${path}.markers`, "a list of keys", markers);
    if (!isListOf(rules, isRule)) throw unusable(`${path}.rules`, "a list of { precedence, decide }", rules);
  });
  return [...conventions];
}

/** @throws TrajectoryError `invalid_option` for a hook that is no function */
export function checkMapSpan(mapSpan: unknown): void {
  if (mapSpan !== undefined && typeof mapSpan !== "function") throw unusable("mapSpan", "a function", mapSpan);
}

function isListOf(value: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits);
}

function isRule(rule: unknown): boolean {
  if (typeof rule !== "object" || rule === null) return false;
  const { precedence, decide } = rule as { precedence?: unknown; decide?: unknown };
  return typeof precedence === "number" && typeof decide === "function";
}

function unusable(path: string, expected: string, value: unknown): TrajectoryError {
  return new TrajectoryError("invalid_option", path, `${path} must be ${expected}, got ${show(value)}`);
}
