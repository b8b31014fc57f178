import { align } from "../align/align.ts";
import type { AlignmentEntry, AlignmentResult } from "../align/alignment.ts";
import type { ExpectedStep } from "../model/expectation.ts";
import type { AlignedStep } from "../model/result.ts";
import type { Step } from "../model/trajectory.ts";
import { NameCodes, type NameRule } from "./names.ts";

/** Expected steps with their groups laid out: what the aligner takes, and the names to report. */
export interface LaidOut {
  readonly names: readonly string[];
  readonly offsets: Int32Array;
  readonly grouped: Uint8Array;
}

/** Lays expected steps out member by member. */
export function layOut(expected: readonly ExpectedStep[]): LaidOut {
  const names: string[] = [];
  const offsets = new Int32Array(expected.length + 1);
  const grouped = new Uint8Array(expected.length);
  expected.forEach((step, index) => {
    if (typeof step === "string") names.push(step);
    else {
      for (const member of step) names.push(member);
      grouped[index] = 1;
    }
    offsets[index + 1] = names.length;
  });
  return { names, offsets, grouped };
}

/** Aligns observed with expected steps by {@link align}; every name is read once. */
export function alignSteps(laidOut: LaidOut, steps: readonly Step[], rule: NameRule): AlignmentResult {
  const codes = new NameCodes(rule);
  return align({
    expected: Int32Array.from(laidOut.names, (name) => codes.expected(name)),
    offsets: laidOut.offsets,
    grouped: laidOut.grouped,
    actual: Int32Array.from(steps, (step) => codes.actual(step)),
    equal: codes.equal,
  });
}

/** Spells alignment entries with names, in the form of the result metadata. */
export function spellSteps(
  entries: readonly AlignmentEntry[],
  laidOut: LaidOut,
  steps: readonly Step[],
): AlignedStep[] {
  return entries.map(({ op, element, member, actual }) => {
    const step: AlignedStep = {
      op,
      expected: member < 0 ? null : (laidOut.names[member] ?? null),
      actual: actual < 0 ? null : (steps[actual]?.name ?? null),
      expected_index: member < 0 ? null : element,
      actual_index: actual < 0 ? null : actual,
    };
    return element >= 0 && laidOut.grouped[element] === 1 ? { ...step, group: element } : step;
  });
}
