import type { Member, Occurrence } from "../model/trajectory.ts";

/** The units of one trace below and beside its trajectory. */
export interface UnitLadder {
  /** One per LLM call, `call:<trace>/<span>`. A call has no members: what asks for an aggregate says so. */
  readonly call: readonly Occurrence[];
  /** All calls that share the trace, `step:<trace>`: the same members as the trajectory, under its own unit and id. */
  readonly step: Occurrence;
}

/**
 * Derives the units `call` and `step` from the unit `trajectory` of the same trace, by its members. A call keeps its own
 * egress; the aggregate keeps that of the trajectory, the worst of all. Nothing but the lists is shared. O(members).
 */
export function unitLadder(trajectory: Occurrence): UnitLadder {
  const { members = [], unit_id } = trajectory;
  const trace = unit_id.slice(unit_id.indexOf(":") + 1);
  const { tools: _tools, members: _members, expectation: _expectation, ...rest } = trajectory;
  return {
    call: members.map((member) => callOf(member, rest)),
    step: { ...trajectory, unit: "step", unit_id: `step:${trace}` },
  };
}

function callOf(member: Member, rest: Occurrence): Occurrence {
  return {
    ...rest,
    unit: "call",
    unit_id: member.unit_id,
    steps: [],
    kinds: ["LLM"],
    egress: member.egress ?? "unknown",
  };
}
