import { diffOf } from "../report/diff-lines.ts";
import type { ScoreRow } from "./rows.ts";

/** Names that one cell holds. */
const MAX_NAMES = 10;

type Metadata = Readonly<Record<string, unknown>>;

/**
 * Why a row is not perfect, in words; empty when it is. Reads what the metadata of any scorer may say: names that are
 * missing or too many, limits that were exceeded, rules that do not hold, which of several trajectories came closest.
 */
export function why(row: ScoreRow): string {
  if (row.error !== undefined) return `${row.error.type}: ${row.error.message}`;
  if (row.reason !== undefined) {
    const message = row.metadata.message;
    return typeof message === "string" ? `${row.reason}: ${message}` : row.reason;
  }
  if (row.score === 1) return "";
  const { metadata } = row;
  const parts = [
    ...differences(metadata),
    named("forbidden", texts(metadata.called_forbidden_tools)),
    exceeded(metadata),
    named("does not hold", objects(metadata.rules).flatMap(brokenRule)),
    closest(metadata),
  ];
  return parts.filter((part) => part !== "").join("; ");
}

/** What is missing and what is extra; the whole alignment stands elsewhere. */
function differences(metadata: Metadata): string[] {
  const { lines } = diffOf({ status: "scored", score: 0, label: "informational", metadata }, undefined, false);
  const differing = lines.filter((line) => !line.same);
  const missing = differing.flatMap((line) => line.expected ?? []);
  const extra = differing.flatMap((line) => line.actual ?? []);
  return [named("missing", missing), named("extra", extra)];
}

function exceeded(metadata: Metadata): string {
  const { max_calls: limit, total_calls: total } = metadata;
  if (typeof limit === "number" && typeof total === "number") return `${total} calls, at most ${limit} expected`;
  const tools = objects(metadata.exceeded).map(({ tool, calls, max_calls: most }) => `${tool} ${calls} of ${most}`);
  return named("too many calls", tools);
}

function brokenRule(rule: Metadata): string[] {
  if (rule.holds !== false) return [];
  const { metric, field, value } = rule;
  const bounds = ["gt", "gte", "lt", "lte", "eq"].flatMap((name) =>
    typeof rule[name] === "number" ? `${name} ${rule[name]}` : [],
  );
  const place = field === undefined ? String(metric) : `${metric}.${field}`;
  return [`${place} ${typeof value === "number" ? rounded(value) : value} (${bounds.join(", ")})`];
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function closest(metadata: Metadata): string {
  const { trajectory_index: index, trajectory_count: count } = metadata;
  if (typeof index !== "number" || typeof count !== "number" || count < 2) return "";
  return `closest to trajectory ${index + 1} of ${count}`;
}

function named(what: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : "";
  return `${what}: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function objects(value: unknown): Metadata[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}
