import { type ClassEquality, sameClass } from "../align/alignment.ts";
import { finish, type Sliced } from "../align/sliced.ts";
import { calledKey, expectedToolKey, type NamedStep, type NameRule, rawKey } from "./names.ts";
import { normalizedName } from "./seen-names.ts";

/** Both sides as classes. */
export interface CodedNames {
  readonly expected: Int32Array;
  readonly actual: Int32Array;
  /** `sameClass` where one key says all of a name: no agents, no names of one server, no alternatives. */
  readonly equal: ClassEquality;
}

/** Turns names of both sides into classes, at once; an expected item goes by any of several names. O(all names). */
export function codeNames(
  expected: readonly (readonly string[])[],
  steps: readonly NamedStep[],
  rule: NameRule,
): CodedNames {
  return finish(codeInSlices(expected, steps, rule));
}

/** The same, as work that pauses. */
export function* codeInSlices(
  expected: readonly (readonly string[])[],
  steps: readonly NamedStep[],
  rule: NameRule,
): Sliced<CodedNames> {
  if (isKeyed(expected, steps)) {
    const keys = new Map<string, number>();
    return {
      expected: yield* each(expected, ([name]) => keyOf(name as string, rule, keys)),
      actual: yield* each(steps, ({ name }) => keyOf(name, rule, keys)),
      equal: sameClass,
    };
  }
  const codes = new NameCodes(rule);
  const actual = yield* each(steps, (step) => codes.actual(step));
  return { expected: yield* each(expected, (names) => codes.expected(names)), actual, equal: codes.equality() };
}

/** Names that are coded at a time: reading one for the first time takes microseconds. */
const SLICE_NAMES = 128;

function* each<T>(list: readonly T[], codeOf: (item: T) => number): Sliced<Int32Array> {
  const codes = new Int32Array(list.length);
  for (let index = 0; index < list.length; index += 1) {
    if (index > 0 && index % SLICE_NAMES === 0) yield;
    codes[index] = codeOf(list[index] as T);
  }
  return codes;
}

function isKeyed(expected: readonly (readonly string[])[], steps: readonly NamedStep[]): boolean {
  for (const names of expected) if (names.length !== 1 || names[0]?.startsWith("mcp__")) return false;
  for (const { kind } of steps) if (kind !== "TOOL") return false;
  return true;
}

function keyOf(name: string, rule: NameRule, known: Map<string, number>): number {
  const text = rule === "exact" ? name : normalizedName(name);
  let key = known.get(text);
  if (key === undefined) {
    key = known.size;
    known.set(text, key);
  }
  return key;
}

/** Key of an expected name or list that no step has. */
const NONE = -1;

/** Key of a class that stands for several names; no name has it. */
const SEVERAL = -2;

/**
 * Classes of names, steps first.
 *
 * A TOOL step and an expected name are equal when they agree after `normalizeName`; an expected name that begins with
 * `mcp__` is compared with the raw name, normalised the same way. An AGENT step is equal only to the letter. So each
 * side has up to two keys, and two names are equal when they share one. Under `exact` nothing is normalised.
 *
 * Expected names that no step tells apart have one class: however many ways there are to spell a name, few classes
 * equal each other across the sides.
 */
class NameCodes {
  readonly #rule: NameRule;
  readonly #keys: Map<string, number> = new Map();
  readonly #classes: Map<string, number> = new Map();
  readonly #expectedTool: number[] = [];
  readonly #expectedAgent: number[] = [];
  /** Classes of names that stand for one another, by the class of all of them. */
  readonly #alternatives: Map<number, readonly number[]> = new Map();
  readonly #actualName: number[] = [];
  readonly #actualRaw: number[] = [];

  constructor(rule: NameRule) {
    this.#rule = rule;
  }

  /** Class of a step; steps of one kind, name and raw name have one class. */
  actual({ kind, name, raw_name: raw }: NamedStep): number {
    const agent = kind === "AGENT";
    const key = this.#key(agent ? `a${name}` : calledKey(name, this.#rule));
    const rawOne = agent ? NONE : this.#key(rawKey(raw ?? name, this.#rule));
    return this.#class(`s${key},${rawOne}`, () => {
      this.#actualRaw.push(rawOne);
      return this.#actualName.push(key) - 1;
    });
  }

  /** Class of an expected step that may go by any of several names. No step may be coded after this. */
  expected(names: readonly string[]): number {
    if (names.length === 1) return this.#expectedName(names[0] as string);
    const classes = [...new Set(names.map((name) => this.#expectedName(name)))].sort((a, b) => a - b);
    return this.#class(`e${classes.join(",")}`, () => {
      this.#expectedAgent.push(SEVERAL);
      const found = this.#expectedTool.push(SEVERAL) - 1;
      this.#alternatives.set(found, classes);
      return found;
    });
  }

  #expectedName(name: string): number {
    const tool = this.#keys.get(expectedToolKey(name, this.#rule)) ?? NONE;
    const agent = this.#keys.get(`a${name}`) ?? NONE;
    return this.#class(`n${tool},${agent}`, () => {
      this.#expectedAgent.push(agent);
      return this.#expectedTool.push(tool) - 1;
    });
  }

  /** What says whether an expected class and a step's class name the same thing. All must be coded. */
  equality(): ClassEquality {
    const classesOf = new Map<number, number[]>();
    const add = (key: number, found: number): void => {
      const known = classesOf.get(key);
      if (known === undefined) classesOf.set(key, [found]);
      else if (known.at(-1) !== found) known.push(found);
    };
    this.#expectedTool.forEach((tool, found) => {
      for (const one of tool === SEVERAL ? this.#alternativesOf(found) : [found]) {
        add(this.#expectedTool[one] as number, found);
        add(this.#expectedAgent[one] as number, found);
      }
    });
    const of = (key: number): readonly number[] => (key === NONE ? [] : (classesOf.get(key) ?? []));
    const partners = (actual: number): readonly number[] => {
      const name = of(this.#actualName[actual] as number);
      const raw = of(this.#actualRaw[actual] as number);
      return raw.length === 0 ? name : [...new Set([...name, ...raw])];
    };
    return Object.assign((expected: number, actual: number) => this.#equal(expected, actual), { partners });
  }

  #equal(expected: number, actual: number): boolean {
    const tool = this.#expectedTool[expected] as number;
    if (tool === SEVERAL) return this.#alternativesOf(expected).some((one) => this.#equal(one, actual));
    const name = this.#actualName[actual];
    const raw = this.#actualRaw[actual];
    return (tool !== NONE && (tool === name || tool === raw)) || this.#expectedAgent[expected] === name;
  }

  #alternativesOf(several: number): readonly number[] {
    return this.#alternatives.get(several) as readonly number[];
  }

  #class(key: string, make: () => number): number {
    let found = this.#classes.get(key);
    if (found === undefined) {
      found = make();
      this.#classes.set(key, found);
    }
    return found;
  }

  #key(text: string): number {
    let key = this.#keys.get(text);
    if (key === undefined) {
      key = this.#keys.size;
      this.#keys.set(text, key);
    }
    return key;
  }
}
