import { show } from "../model/errors.ts";
import type { Step } from "../model/trajectory.ts";

/** The steps of a list that host code may have built, or what is wrong with it. */
export type CheckedSteps =
  | { readonly ok: true; readonly steps: readonly Step[] }
  | { readonly ok: false; readonly message: string };

/** Checks that a list holds steps: only `kind` and `name` are needed, `raw_name` is text where it is given. O(n). */
export function stepsOf(list: unknown, where: "steps" | "tools"): CheckedSteps {
  if (!Array.isArray(list)) return { ok: false, message: `${where}: must be a list of steps, got ${show(list)}` };
  for (let index = 0; index < list.length; index += 1) {
    const message = problemOf(list[index]);
    if (message !== undefined) return { ok: false, message: `${where}[${index}]${message}` };
  }
  return { ok: true, steps: list };
}

function problemOf(step: unknown): string | undefined {
  if (typeof step !== "object" || step === null) return `: must be a step, got ${show(step)}`;
  const { kind, name, raw_name: raw } = step as Partial<Step>;
  if (kind !== "TOOL" && kind !== "AGENT") return `.kind: must be TOOL or AGENT, got ${show(kind)}`;
  if (typeof name !== "string") return `.name: must be text, got ${show(name)}`;
  if (raw !== undefined && typeof raw !== "string") return `.raw_name: must be text, got ${show(raw)}`;
  return undefined;
}
