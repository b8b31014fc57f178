import type { ExpectationMatch, ExpectationRule } from "../model/expectation.ts";
import { normalizeName } from "../model/names.ts";
import type { ResolutionRequest } from "../model/resolution.ts";
import type { Occurrence, Step } from "../model/trajectory.ts";
import { mergeRuns } from "./merge-runs.ts";
import type { ObservedRun } from "./observed.ts";

/** One observed unit and what rules can match it by. */
export interface ObservedUnit {
  readonly occurrence: Occurrence;
  readonly request: ResolutionRequest;
}

/** A rule that was drawn from observed units, and what a reviewer should know about it. */
export interface Proposal {
  readonly rule: ExpectationRule;
  /** Ids of the units that it was drawn from. */
  readonly unit_ids: readonly string[];
  readonly remarks: readonly string[];
}

/** What recording gives: rules in the order in which they must stand, and the units that gave none. */
export interface Recording {
  readonly proposals: readonly Proposal[];
  /** One line per unit that was left out, and why. */
  readonly skipped: readonly string[];
}

/**
 * Draws expectations from observed units: those of one case become one rule, status `proposed`.
 *
 * A case is what has one value of `caseAttribute`, where that is given and found (on the local root, else the entry
 * agent, else the resource); else one entry agent and one local root name; else a trace of its own. Rules that say more
 * come first, since the first that matches wins. O(steps) and what {@link mergeRuns} takes.
 */
export function propose(units: readonly ObservedUnit[], caseAttribute?: string): Recording {
  const cases = new Map<
    string,
    { readonly match: ExpectationMatch; readonly rank: number; readonly units: ObservedUnit[] }
  >();
  const skipped: string[] = [];
  for (const unit of units) {
    const { unread = [], kinds, unit_id } = unit.occurrence;
    // Exports hold traces of other things too; those are no runs of agents.
    if (kinds?.length === 0) continue;
    if (unread.length > 0) {
      skipped.push(`${unit_id}: its ${unread.join(" and ")} were not recorded`);
      continue;
    }
    const { match, rank } = caseOf(unit.request, caseAttribute);
    const key = JSON.stringify([unit.occurrence.unit, match]);
    const known = cases.get(key);
    if (known === undefined) cases.set(key, { match, rank, units: [unit] });
    else known.units.push(unit);
  }
  const ids = new Set<string>();
  const proposals: Proposal[] = [];
  for (const { match, units: members } of [...cases.values()].sort((a, b) => a.rank - b.rank)) {
    const proposal = proposalOf(match, members, ids);
    if (proposal !== undefined) proposals.push(proposal);
    else for (const { occurrence } of members) skipped.push(`${occurrence.unit_id}: no name in it can be expected`);
  }
  return { proposals, skipped };
}

function caseOf(request: ResolutionRequest, attribute: string | undefined): { match: ExpectationMatch; rank: number } {
  const value = attribute === undefined ? undefined : attributeOf(request, attribute);
  if (attribute !== undefined && value !== undefined) return { match: { attributes: { [attribute]: value } }, rank: 0 };
  const agent = isText(request.agent) ? { agent: request.agent } : undefined;
  const root = isText(request.root_span) ? { root_span: request.root_span } : undefined;
  if (agent !== undefined && root !== undefined) return { match: { ...agent, ...root }, rank: 2 };
  if (agent !== undefined || root !== undefined) return { match: { ...agent, ...root }, rank: 3 };
  const trace = request.trace_ids[0] ?? "";
  return { match: isText(request.session_id) ? { session_id: request.session_id } : { trace_id: trace }, rank: 1 };
}

/** Text that a file can hold. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/\p{Cs}/u.test(value);
}

function attributeOf(request: ResolutionRequest, key: string): string | number | boolean | undefined {
  const layer = request.attribute_layers.find((attributes) => Object.hasOwn(attributes, key));
  const value = layer?.[key];
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "boolean" || isText(value) ? value : undefined;
}

/** Undefined when nothing of what was observed can be expected. */
function proposalOf(match: ExpectationMatch, units: readonly ObservedUnit[], ids: Set<string>): Proposal | undefined {
  const unusable = new Set<string>();
  const runs = units.map(({ occurrence }) => runOf(occurrence.steps, unusable));
  const merged = mergeRuns(runs);
  const steps = merged ?? mergeRuns(runs.filter((run) => run.length > 0).slice(0, 1)) ?? [];
  const tools = toolsOf(units);
  if (steps.length === 0 && tools.length === 0 && unusable.size > 0) return undefined;
  const rule: ExpectationRule = {
    id: idOf(match, ids),
    match,
    ...(units[0]?.occurrence.unit === "session" ? { unit: "session" as const } : {}),
    status: "proposed",
    ...(steps.length > 0 ? { expected_steps: steps } : {}),
    ...(tools.length > 0 ? { expected_tools: tools } : {}),
    // No list of steps can be empty; an empty list of calls says the same.
    ...(steps.length === 0 && tools.length === 0 ? { expected_calls: [] } : {}),
  };
  const remarks = [
    merged === undefined
      ? "the runs are too long and too different to be merged: these are the steps of the first"
      : "",
    unusable.size > 0 ? "steps whose names cannot be expected were left out" : "",
    steps.length === 0 && tools.length === 0 ? "no step was observed" : "",
    ...units.map(({ occurrence }) => incompleteRemark(occurrence)),
  ];
  const unit_ids = units.map(({ occurrence }) => occurrence.unit_id);
  return { rule, unit_ids, remarks: remarks.filter((remark) => remark !== "") };
}

function incompleteRemark({ unit_id, incomplete }: Occurrence): string {
  const reasons = (incomplete ?? []).filter((reason) => reason !== "remote_parent");
  return reasons.length === 0 ? "" : `${unit_id} is not whole: ${reasons.join(", ")}`;
}

function runOf(steps: readonly Step[], unusable: Set<string>): ObservedRun {
  return steps.flatMap((step) => {
    const name = expectedName(step);
    if (isUsable(name)) return [{ name, key: keyOf(step, name) }];
    unusable.add(name);
    return [];
  });
}

/** An expected name that begins with `mcp__` is compared with the raw name, so that this is what it must be. */
function expectedName(step: Step): string {
  return step.kind === "TOOL" && step.name.startsWith("mcp__") ? (step.raw_name ?? step.name) : step.name;
}

/** Names that are nothing once `-` and `_` are set aside are refused, and files cannot hold half of a character. */
function isUsable(name: string): boolean {
  return normalizeName(name) !== "" && isText(name);
}

function keyOf(step: Step, name: string): string {
  return step.kind === "TOOL" ? `tool ${normalizeName(name)}` : `agent ${name}`;
}

/** Tools that every run called, by their first spelling. */
function toolsOf(units: readonly ObservedUnit[]): string[] {
  const counts = new Map<string, { readonly name: string; runs: number }>();
  for (const { occurrence } of units) {
    const tools = occurrence.tools ?? occurrence.steps.filter((step) => step.kind === "TOOL");
    const seen = new Set<string>();
    for (const step of tools) {
      const name = expectedName(step);
      const key = normalizeName(name);
      if (!isUsable(name) || seen.has(key)) continue;
      seen.add(key);
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { name, runs: 1 });
      else known.runs += 1;
    }
  }
  return [...counts.values()].filter(({ runs }) => runs === units.length).map(({ name }) => name);
}

function idOf(match: ExpectationMatch, taken: Set<string>): string {
  const { attributes, agent, root_span: root, session_id: session, trace_id: trace } = match;
  const words = attributes === undefined ? [agent ?? root ?? session ?? trace ?? ""] : Object.values(attributes);
  const slug = words
    .join("-")
    .toLowerCase()
    .slice(0, 200)
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 60);
  const base = slug === "" ? "case" : slug;
  let id = base;
  for (let number = 2; taken.has(id); number += 1) id = `${base}-${number}`;
  taken.add(id);
  return id;
}
