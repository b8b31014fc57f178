import { alignFree, alignInSlices } from "../align/align.ts";
import { alignFew, FEW_DELETE, FEW_INSERT, FEW_SUBSTITUTE, type FewEdits } from "../align/align-few.ts";
import { alignOptional } from "../align/align-optional.ts";
import type { AlignmentEntry, AlignmentResult } from "../align/alignment.ts";
import type { Sliced } from "../align/sliced.ts";
import type { ExpectedStep } from "../model/expectation.ts";
import type { AlignedStep } from "../model/result.ts";
import type { Step } from "../model/trajectory.ts";
import { codeInSlices } from "./code-names.ts";
import { LazyNames } from "./lazy-names.ts";
import { type NameRule, sameName } from "./names.ts";

/** Expected steps laid out member by member: what the aligner takes, and the names to report. */
interface LaidOut {
  /** Alternatives are joined by ` | `. */
  readonly names: readonly string[];
  readonly offsets: Int32Array;
  /** 1 for a group. */
  readonly grouped: Uint8Array;
  /** 1 for an element that may be left out at no cost; undefined when there is none. */
  readonly optional: Uint8Array | undefined;
  /** Names of the members that have alternatives; undefined when there is none. */
  readonly alternatives: ReadonlyMap<number, readonly string[]> | undefined;
  /** Every element is a mere name. */
  readonly plain: boolean;
}

/** Lays expected steps out member by member. */
function layOut(expected: readonly ExpectedStep[]): LaidOut {
  const names: string[] = [];
  const offsets = new Int32Array(expected.length + 1);
  const grouped = new Uint8Array(expected.length);
  const alternatives = new Map<number, readonly string[]>();
  let optional: Uint8Array | undefined;
  let plain = true;
  for (let index = 0; index < expected.length; index += 1) {
    const step = expected[index] as ExpectedStep;
    if (typeof step === "string") names.push(step);
    else {
      plain = false;
      if ("optional" in step) {
        optional ??= new Uint8Array(expected.length);
        optional[index] = 1;
        names.push(step.optional);
      } else if ("any_of" in step) {
        alternatives.set(names.length, step.any_of);
        names.push(step.any_of.join(" | "));
      } else {
        for (const member of step) names.push(member);
        grouped[index] = 1;
      }
    }
    offsets[index + 1] = names.length;
  }
  return { names, offsets, grouped, optional, alternatives: alternatives.size > 0 ? alternatives : undefined, plain };
}

/** The list itself where it holds nothing but names. */
export function mereNames(expected: readonly ExpectedStep[]): readonly string[] | undefined {
  for (let index = 0; index < expected.length; index += 1) if (typeof expected[index] !== "string") return undefined;
  return expected as readonly string[];
}

/** What comparing by edit distance gives, spelled. */
export type EditResult =
  | {
      readonly ok: true;
      readonly cost: number;
      readonly matches: number;
      readonly steps: AlignedStep[];
      /** Expected steps that count, members of groups one by one. */
      readonly total: number;
      /** Optional steps that were left out; undefined where none is optional. */
      readonly absent: string[] | undefined;
    }
  | { readonly ok: false };

/**
 * Compares observed with expected steps. Lists that are equal, and lists of mere names that differ in a few places, which
 * most do, are aligned at once, without reading more of the names than their letters; the others, in slices, by
 * {@link alignInSlices}, or by {@link alignOptional} where some are optional. All give the same alignment.
 */
export function compareSteps(
  expected: readonly ExpectedStep[],
  steps: readonly Step[],
  rule: NameRule,
): EditResult | Sliced<EditResult> {
  const same = spellSame(expected, steps);
  if (same !== undefined) {
    const total = same.length;
    return { ok: true, cost: 0, matches: total, steps: same, total, absent: undefined };
  }
  const names = mereNames(expected);
  if (names !== undefined) {
    const total = names.length;
    const few = alignFew(total, steps.length, (expected, actual) =>
      sameName(names[expected] as string, steps[actual] as Step, rule),
    );
    if (few !== undefined) {
      const { cost, matches } = few;
      return { ok: true, cost, matches, steps: spellFew(few, names, steps), total, absent: undefined };
    }
  }
  return compareLaidOut(layOut(expected), steps, rule);
}

function* compareLaidOut(laidOut: LaidOut, steps: readonly Step[], rule: NameRule): Sliced<EditResult> {
  const aligned = alignAsWritten(laidOut, steps, rule) ?? (yield* alignSteps(laidOut, steps, rule));
  if (!aligned.ok) return { ok: false };
  const { cost, matches, entries } = aligned;
  const spelled = yield* spellSteps(entries, laidOut, steps);
  const absent = absentOptional(laidOut, entries);
  const total = laidOut.names.length - (absent?.length ?? 0);
  return { ok: true, cost, matches, steps: spelled, total, absent };
}

/** Lists with groups that agree throughout, which many do, need no classes of names. */
function alignAsWritten(laidOut: LaidOut, steps: readonly Step[], rule: NameRule): AlignmentResult | undefined {
  const { names, offsets, grouped, optional, alternatives, plain } = laidOut;
  if (plain || optional !== undefined || alternatives !== undefined) return undefined;
  const { equal } = new LazyNames(names, steps, rule);
  return alignFree({ expected: indexes(names.length), offsets, grouped, actual: indexes(steps.length), equal });
}

function* alignSteps(laidOut: LaidOut, steps: readonly Step[], rule: NameRule): Sliced<AlignmentResult> {
  const { names, offsets, grouped, optional, alternatives } = laidOut;
  if (laidOut.plain) {
    const lazy = new LazyNames(names, steps, rule);
    const [expected, actual] = [indexes(names.length), indexes(steps.length)];
    const work = alignInSlices({ expected, offsets, grouped, actual, equal: lazy.equal });
    for (let slice = work.next(); ; slice = work.next()) {
      if (slice.done === true) return slice.value;
      yield;
      if (lazy.wantsCodes) yield* lazy.code();
    }
  }
  const coded = yield* codeInSlices(
    names.map((name, member) => alternatives?.get(member) ?? [name]),
    steps,
    rule,
  );
  const input = { ...coded, offsets, grouped };
  return yield* optional === undefined ? alignInSlices(input) : alignOptional(input, optional);
}

/**
 * The alignment of two lists that are the same to the letter, groups as they are written: no rule for names can tell
 * them apart, and no other alignment is free.
 */
function spellSame(expected: readonly ExpectedStep[], steps: readonly Step[]): AlignedStep[] | undefined {
  let place = 0;
  for (let element = 0; element < expected.length; element += 1) {
    const step = expected[element] as ExpectedStep;
    if (typeof step === "string") {
      if (!isWritten(step, steps[place])) return undefined;
      place += 1;
    } else if (isGroup(step)) {
      for (let member = 0; member < step.length; member += 1) {
        if (!isWritten(step[member] as string, steps[place + member])) return undefined;
      }
      place += step.length;
    } else return undefined;
  }
  if (place !== steps.length) return undefined;
  const spelled: AlignedStep[] = [];
  for (let element = 0; element < expected.length; element += 1) {
    const step = expected[element] as string | readonly string[];
    if (typeof step === "string") spelled.push(matched(step, element, spelled.length));
    else for (const name of step) spelled.push({ ...matched(name, element, spelled.length), group: element });
  }
  return spelled;
}

function isGroup(step: ExpectedStep): step is readonly string[] {
  return Array.isArray(step);
}

function isWritten(name: string, step: Step | undefined): boolean {
  return step !== undefined && name === step.name && (step.raw_name === undefined || !name.startsWith("mcp__"));
}

function matched(name: string, element: number, place: number): AlignedStep {
  return { op: "match", expected: name, actual: name, expected_index: element, actual_index: place };
}

/** Spells an alignment that matches everything but for a few moves. */
function spellFew({ moves, runs }: FewEdits, names: readonly string[], steps: readonly Step[]): AlignedStep[] {
  const spelled: AlignedStep[] = [];
  let element = 0;
  let place = 0;
  for (let index = 0; index < runs.length; index += 1) {
    for (let left = runs[index] as number; left > 0; left -= 1) {
      const expected = names[element] as string;
      const actual = (steps[place] as Step).name;
      spelled.push({ op: "match", expected, actual, expected_index: element, actual_index: place });
      element += 1;
      place += 1;
    }
    const move = moves[index];
    if (move === FEW_SUBSTITUTE) spelled.push(spell("substitute", names[element], element, steps[place], place));
    else if (move === FEW_DELETE) spelled.push(spell("delete", names[element], element, undefined, -1));
    else if (move === FEW_INSERT) spelled.push(spell("insert", undefined, -1, steps[place], place));
    if (move !== FEW_INSERT) element += 1;
    if (move !== FEW_DELETE) place += 1;
  }
  return spelled;
}

function spell(
  op: AlignedStep["op"],
  name: string | undefined,
  element: number,
  step: Step | undefined,
  place: number,
): AlignedStep {
  return {
    op,
    expected: name === undefined ? null : name,
    actual: step === undefined ? null : step.name,
    expected_index: name === undefined ? null : element,
    actual_index: step === undefined ? null : place,
  };
}

function indexes(length: number): Int32Array {
  const list = new Int32Array(length);
  for (let index = 0; index < length; index += 1) list[index] = index;
  return list;
}

/** Entries that are spelled at a time. */
const SLICE_ENTRIES = 256;

/** Spells alignment entries with names, in the form of the result metadata. */
function* spellSteps(
  entries: readonly AlignmentEntry[],
  laidOut: LaidOut,
  steps: readonly Step[],
): Sliced<AlignedStep[]> {
  const { names, grouped } = laidOut;
  const spelled: AlignedStep[] = [];
  for (const { op, element, member, actual } of entries) {
    if (spelled.length % SLICE_ENTRIES === SLICE_ENTRIES - 1) yield;
    const expected = member < 0 ? null : (names[member] as string);
    const name = actual < 0 ? null : (steps[actual] as Step).name;
    const expected_index = member < 0 ? null : element;
    const actual_index = actual < 0 ? null : actual;
    spelled.push(
      // An index of -1 is slow to look up.
      element >= 0 && grouped[element] === 1
        ? { op, expected, actual: name, expected_index, actual_index, group: element }
        : { op, expected, actual: name, expected_index, actual_index },
    );
  }
  return spelled;
}

/** Names of the optional steps that were left out; undefined where no step is optional. */
function absentOptional(laidOut: LaidOut, entries: readonly AlignmentEntry[]): string[] | undefined {
  const { optional, names, offsets } = laidOut;
  if (optional === undefined) return undefined;
  const present = new Set(entries.map((entry) => entry.element));
  const absent: string[] = [];
  optional.forEach((is, element) => {
    if (is === 1 && !present.has(element)) absent.push(names[offsets[element] as number] as string);
  });
  return absent;
}
