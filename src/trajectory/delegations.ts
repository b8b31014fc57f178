import type { PlacedStep } from "../model/assembled.ts";
import { normalizeName } from "../model/names.ts";
import type { TrajectoryOptions } from "../model/trajectory.ts";
import type { Act } from "./echoes.ts";
import type { Notes } from "./notes.ts";
import { identity } from "./roots.ts";
import type { SpanNode } from "./tree.ts";

/** What a framework puts before the agent's name in the tool that starts it (Mastra). */
const DELEGATION_PREFIX = "agent";
const HAND_OFFS = ["transferto", "handoffto"] as const;

/**
 * The TOOL spans that fold into an agent's step: those with an AGENT of the same normalised name beneath and no TOOL
 * or AGENT between. `agents` are the spans of the AGENT steps.
 */
export function foldedTools(
  agents: readonly SpanNode[],
  acts: ReadonlyMap<SpanNode, Act>,
  delegations: TrajectoryOptions["delegations"],
  notes?: Notes,
): ReadonlySet<SpanNode> {
  const folded = new Set<SpanNode>();
  if (delegations === "keep") return folded;
  for (const agent of agents) {
    const tool = agent.actAbove;
    const counted = tool === undefined ? undefined : acts.get(tool)?.counted;
    if (counted === undefined || !isSameName(counted, agent)) continue;
    folded.add(counted);
    notes?.add(counted.span.span_id, "delegation", agent.span.span_id);
  }
  return folded;
}

/** Drops `transfer_to_X` and `handoff_to_X` where the next AGENT step is X. One pass from the end. */
export function dropHandOffs(steps: readonly PlacedStep[], notes?: Notes): readonly PlacedStep[] {
  const kept: PlacedStep[] = [];
  let nextAgent: string | undefined;
  let nextId: string | undefined;
  for (const placed of steps.toReversed()) {
    const name = normalizeName(placed.step.name);
    if (placed.step.kind === "AGENT") {
      nextAgent = name;
      nextId = placed.step.span_id;
    } else if (nextAgent !== undefined && HAND_OFFS.some((prefix) => name === prefix + nextAgent)) {
      notes?.add(placed.step.span_id ?? "", "hand_off", nextId);
      continue;
    }
    kept.push(placed);
  }
  return kept.reverse();
}

function isSameName(tool: SpanNode, agent: SpanNode): boolean {
  const toolName = normalizeName(tool.span.facts?.name ?? "");
  const agentName = normalizeName(identity(agent));
  return toolName === agentName || toolName === DELEGATION_PREFIX + agentName;
}
