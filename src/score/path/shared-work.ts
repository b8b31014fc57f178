import { isKnown } from "../../expectation/quick-parse.ts";
import type { Step } from "../../model/trajectory.ts";
import type { ArgumentPolicy } from "../arguments/policy.ts";
import type { NameRule } from "../names.ts";
import { expectedLists, type PathValue } from "./path-list.ts";
import { PathWork } from "./path-work.ts";

/** How a scorer compares; scorers that compare alike share their work. */
export interface Comparison {
  readonly names: NameRule;
  readonly policy: ArgumentPolicy;
  /** The same text for the same rules. */
  readonly key: string;
}

/** One list of steps as it was when work on it was first done, and that work. */
interface Remembered {
  readonly steps: readonly Step[];
  readonly kinds: readonly Step["kind"][];
  readonly names: readonly string[];
  readonly rawNames: readonly (string | undefined)[];
  readonly shares: Share[];
}

interface Share {
  readonly value: object;
  readonly key: string;
  readonly compare_args: unknown;
  readonly works: readonly PathWork[];
}

/** More ways to compare one list than this are not remembered. */
const MOST_SHARES = 16;

const REMEMBERED = new WeakMap<readonly Step[], Remembered>();

/** Lists whose steps, arguments among them, nobody changes any more. */
const SETTLED = new WeakSet<readonly Step[]>();

/** What of arguments has been found frozen all the way down. */
const FROZEN = new WeakSet<object>();

/**
 * Says that nobody changes these steps and their arguments while they are scored, so that comparing arguments is shared
 * too. For lists that never reach code of the host.
 */
export function settle(steps: readonly Step[]): void {
  SETTLED.add(steps);
}

/** Takes back what {@link settle} said. */
export function unsettle(steps: readonly Step[]): void {
  SETTLED.delete(steps);
  REMEMBERED.delete(steps);
}

/**
 * The work for one observed list and one expected value, one object per acceptable trajectory: the same objects for
 * every scorer of a unit that compares alike, so that names are read, and lists aligned, once per unit.
 *
 * Nothing is taken on trust. The expected value must be one that was checked and frozen; the list must hold the same
 * steps with the same names as before, which is looked at each time; and where arguments count the list must be settled
 * or frozen. Else the work is done anew.
 */
export function workFor(path: PathValue, steps: readonly Step[], comparison: Comparison): readonly PathWork[] {
  const { policy, names } = comparison;
  const make = (): PathWork[] => expectedLists(path).map((list) => new PathWork(list, steps, policy, names));
  if (!isKnown(path.column, path.value)) return make();
  const held = REMEMBERED.get(steps);
  const remembered = held !== undefined && unchanged(held, steps) ? held : remember(steps);
  const { compare_args } = policy.config;
  const known = remembered.shares.find(
    (one) => one.value === path.value && one.key === comparison.key && one.compare_args === compare_args,
  );
  if (known !== undefined) return known.works;
  const works = make();
  // What is frozen now stays as it is; arguments that are not may change before the next scorer asks.
  const lasting = !works.some((work) => work.withArguments) || SETTLED.has(steps) || argumentsAreFrozen(steps);
  if (lasting && remembered.shares.length < MOST_SHARES) {
    remembered.shares.push({ value: path.value, key: comparison.key, compare_args, works });
  }
  return works;
}

function remember(steps: readonly Step[]): Remembered {
  const remembered: Remembered = {
    steps: steps.slice(),
    kinds: steps.map((step) => step.kind),
    names: steps.map((step) => step.name),
    rawNames: steps.map((step) => step.raw_name),
    shares: [],
  };
  REMEMBERED.set(steps, remembered);
  return remembered;
}

function unchanged(held: Remembered, steps: readonly Step[]): boolean {
  if (held.steps.length !== steps.length) return false;
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index] as Step;
    if (step !== held.steps[index] || step.name !== held.names[index]) return false;
    if (step.kind !== held.kinds[index] || step.raw_name !== held.rawNames[index]) return false;
  }
  return true;
}

/** Whether nobody can change the steps or their arguments any more. O(steps) once the arguments are known. */
function argumentsAreFrozen(steps: readonly Step[]): boolean {
  return steps.every((step) => Object.isFrozen(step) && isDeepFrozen(step.args));
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null || FROZEN.has(value)) return true;
  const seen = new Set<object>([value]);
  // The set grows while it is walked, so that a ring is entered once.
  for (const next of seen) {
    if (!Object.isFrozen(next)) return false;
    for (const member of Object.values(next)) if (typeof member === "object" && member !== null) seen.add(member);
  }
  FROZEN.add(value);
  return true;
}
