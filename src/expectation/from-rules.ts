import type { ExpectationMatch, ExpectationRule } from "../model/expectation.ts";
import type { ResolutionRequest } from "../model/resolution.ts";
import { type Filling, type Header, resolvedColumn } from "./found.ts";
import { COLUMNS } from "./parse.ts";
import type { ExpectationSource, Found } from "./source.ts";

/**
 * Ordered rules, already parsed: the first that matches a unit wins, and what it leaves open is open.
 *
 * A rule with nothing to match on is run-level; what others supply is the occurrence's own. O(rules) for a unit.
 */
export class RuleSet {
  readonly #rules: readonly ExpectationRule[];
  /** Digests cost a hash: each rule is turned into columns at its first match. */
  readonly #found = new Map<ExpectationRule, Found>();

  constructor(rules: readonly ExpectationRule[]) {
    this.#rules = rules;
  }

  find(request: ResolutionRequest): Found {
    const rule = this.#rules.find((candidate) => matches(candidate, request));
    if (rule === undefined) return {};
    const known = this.#found.get(rule) ?? columnsOf(rule);
    this.#found.set(rule, known);
    return known;
  }
}

/** A source of rules that are parsed already. */
export function fromRules(rules: readonly ExpectationRule[], name: string): ExpectationSource {
  const set = new RuleSet(rules);
  return {
    name,
    checked: true,
    find: (request) => set.find(request),
    answersAtOnce: () => true,
    loading: () => undefined,
    readsAttributes: rules.some((rule) => Object.keys(rule.match?.attributes ?? {}).length > 0),
  };
}

function columnsOf(rule: ExpectationRule): Found {
  const header: Header = { ...(rule.id === undefined ? {} : { id: rule.id }), status: rule.status ?? "proposed" };
  const origin = isRunLevel(rule.match) ? "run" : "own";
  const found: Filling = {};
  for (const column of COLUMNS) {
    const value = rule[column];
    if (value !== undefined) found[column] = resolvedColumn(column, value, header, origin);
  }
  return found;
}

function isRunLevel(match: ExpectationMatch | undefined): boolean {
  if (match === undefined) return true;
  const { attributes, ...fields } = match;
  return Object.keys(fields).length === 0 && Object.keys(attributes ?? {}).length === 0;
}

function matches(rule: ExpectationRule, request: ResolutionRequest): boolean {
  if ((rule.unit ?? "trajectory") !== request.unit) return false;
  const match = rule.match;
  if (match === undefined) return true;
  return (
    (match.agent === undefined || match.agent === request.agent) &&
    (match.root_span === undefined || match.root_span === request.root_span) &&
    // A session matches when its first trace does.
    (match.trace_id === undefined || match.trace_id.toLowerCase() === request.trace_ids[0]?.toLowerCase()) &&
    (match.session_id === undefined || match.session_id === request.session_id) &&
    Object.entries(match.attributes ?? {}).every(([key, wanted]) => equalsAttribute(request, key, wanted))
  );
}

/** The first layer that has the key decides, so that a root can say otherwise than its resource. */
function equalsAttribute(request: ResolutionRequest, key: string, wanted: string | number | boolean): boolean {
  const layer = request.attribute_layers.find((attributes) => Object.hasOwn(attributes, key));
  const value = layer?.[key];
  // 64-bit integers can arrive as bigint; for a rule 3 is 3.
  return value === wanted || (typeof value === "bigint" && typeof wanted === "number" && Number(value) === wanted);
}
