import { type ClassEquality, DEFAULT_CELL_LIMIT, flipped, sameClass, WorkBudget } from "../../align/alignment.ts";
import { type CommonSubsequence, longestCommonSubsequence } from "../../align/lcs.ts";
import { commonSubsequenceWithOptional } from "../../align/lcs-optional.ts";
import { largestMatching } from "../../align/matching.ts";
import { isSliced, type Sliced } from "../../align/sliced.ts";
import type { ExpectedCall } from "../../model/expectation.ts";
import type { Step } from "../../model/trajectory.ts";
import { ArgumentComparer, type CallVerdict, DIFFERENT, EQUAL, UNKNOWN } from "../arguments/compare.ts";
import type { ArgumentPolicy } from "../arguments/policy.ts";
import { type CodedNames, codeInSlices } from "../code-names.ts";
import type { NameRule } from "../names.ts";
import type { ExpectedItem, ExpectedList } from "./path-list.ts";

const OVER_LIMIT: CommonSubsequence = { ok: false, reason: "over_limit" };

/** Comparing the arguments of two calls counts as this many cells of the work limit. */
const ARGUMENT_CELLS = 10;

/** What each expected item took, by index; -1: nothing. Or that the work limit was reached. */
export type Matching = { readonly ok: true; readonly taken: readonly number[] } | { readonly ok: false };

/**
 * The work that path scores share for one observed list, one expected list and one way to compare: names and arguments
 * are read once, and the common subsequence and the largest matching are each computed at most once, in slices, when
 * first asked for. {@link workFor} hands the same object to every scorer that needs it; whoever goes on with work that
 * is under way does so for all.
 */
export class PathWork {
  readonly expected: ExpectedList;
  readonly steps: readonly Step[];
  /** Names of the steps. */
  readonly names: readonly string[];
  readonly #comparer: ArgumentComparer;
  readonly #rule: NameRule;
  /** Classes of the names, once they have been read. */
  #coded: CodedNames | undefined;
  /** Whether any call has arguments to compare; else names are all there is. */
  readonly #withArguments: boolean;
  /** Verdicts plus 1, by pair; made when first needed. */
  #verdicts: Uint8Array | undefined;
  #required: readonly number[] | undefined;
  readonly #results: Map<string, object> = new Map();
  readonly #underWay: Map<string, Sliced<object>> = new Map();

  constructor(expected: ExpectedList, steps: readonly Step[], policy: ArgumentPolicy, rule: NameRule) {
    this.expected = expected;
    this.steps = steps;
    this.#comparer = new ArgumentComparer(policy);
    this.#withArguments = expected.items.some(
      ({ call }) => call !== undefined && policy.rulesFor(call).match !== "ignore",
    );
    this.names = steps.map((step) => step.name);
    this.#rule = rule;
  }

  /** Reads the names, before anything else is asked; long lists in slices. */
  *read(): Sliced<undefined> {
    if (this.#coded !== undefined) return undefined;
    const namesOf = (): (readonly string[])[] => this.expected.items.map((item) => item.names);
    this.#coded = yield* this.#once("names", () => codeInSlices(namesOf(), this.steps, this.#rule));
    return undefined;
  }

  get #codes(): CodedNames {
    if (this.#coded === undefined) throw new Error("names were not read");
    return this.#coded;
  }

  /** Whether one key says all of a name: no agents, no names of one server, no alternatives. */
  get keyed(): boolean {
    return this.#codes.equal === sameClass;
  }

  /** Keys of both sides, where {@link keyed}. */
  get keys(): { readonly expected: Int32Array; readonly actual: Int32Array } {
    return this.#codes;
  }

  /** Expected items that are not optional. */
  get required(): readonly number[] {
    this.#required ??= indexesWhere(this.expected.items, (one) => !one.optional);
    return this.#required;
  }

  /** Compares the expected item with the observed step at two places. */
  compare(expected: number, actual: number): CallVerdict {
    const coded = this.#codes;
    if (!coded.equal(coded.expected[expected] as number, coded.actual[actual] as number)) return DIFFERENT;
    if (!this.#withArguments) return EQUAL;
    if (this.tooLarge) return this.#compareArguments(expected, actual);
    this.#verdicts ??= new Uint8Array(this.expected.items.length * this.steps.length);
    const key = expected * this.steps.length + actual;
    const known = this.#verdicts[key] as number;
    if (known > 0) return (known - 1) as CallVerdict;
    const verdict = this.#compareArguments(expected, actual);
    this.#verdicts[key] = verdict + 1;
    return verdict;
  }

  /** Whether comparing every call with every step would go beyond the work limit. */
  get tooLarge(): boolean {
    return this.#withArguments && this.expected.items.length * this.steps.length * ARGUMENT_CELLS > DEFAULT_CELL_LIMIT;
  }

  /** Whether arguments have a say: then what is remembered holds only while nobody changes them. */
  get withArguments(): boolean {
    return this.#withArguments;
  }

  #compareArguments(expected: number, actual: number): CallVerdict {
    // Where one item is a call, all are.
    const { call } = this.expected.items[expected] as ExpectedItem;
    return this.#comparer.compare(call as ExpectedCall, this.steps[actual] as Step);
  }

  /** Whether some call and some step of its name cannot be told equal or different: arguments were not recorded. */
  *unknown(): Sliced<boolean> {
    if (!this.#withArguments) return false;
    return (yield* this.#once("unknown", () => this.#anyUnknown())).unknown;
  }

  /** Common subsequence of the whole expected list; with optional items, the one with least missing and extra. */
  common(): Sliced<CommonSubsequence> {
    return this.#once("common", () => {
      if (this.tooLarge) return OVER_LIMIT;
      const pair = this.#pair(indexesWhere(this.expected.items, () => true));
      if (!this.expected.optional) return longestCommonSubsequence(pair);
      return commonSubsequenceWithOptional(
        pair,
        Uint8Array.from(this.expected.items, (one) => (one.optional ? 1 : 0)),
      );
    });
  }

  /** Longest common subsequence of the items that are not optional; its expected indexes count those alone. */
  commonRequired(): Sliced<CommonSubsequence> {
    if (!this.expected.optional) return this.common();
    return this.#once("commonRequired", () => longestCommonSubsequence(this.#pair(this.required)));
  }

  /**
   * Largest matching of expected items to observed steps, order aside: items that are not optional go first, then each
   * item takes the first step that keeps the matching largest.
   */
  matching(): Sliced<Matching> {
    return this.#once("matching", () => {
      if (this.tooLarge) return { ok: false };
      const order = [...this.required, ...indexesWhere(this.expected.items, (one) => one.optional)];
      if (this.keyed && !this.#withArguments) return { ok: true, taken: this.#takeByKey(order) };
      return this.#match(order);
    });
  }

  *#match(order: readonly number[]): Sliced<Matching> {
    const { expected, actual, equal } = this.#pair(order);
    const assigned = yield* largestMatching(actual, expected, flipped(equal));
    if (assigned === undefined) return { ok: false };
    const taken = new Array<number>(order.length);
    order.forEach((index, place) => {
      taken[index] = assigned[place] as number;
    });
    return { ok: true, taken };
  }

  /** Each item takes the first step of its key that is left: with one key a name that is a largest matching. */
  #takeByKey(order: readonly number[]): number[] {
    const left = new Map<number, number[]>();
    for (let actual = this.steps.length - 1; actual >= 0; actual -= 1) {
      const key = this.#codes.actual[actual] as number;
      const places = left.get(key);
      if (places === undefined) left.set(key, [actual]);
      else places.push(actual);
    }
    const taken = new Array<number>(order.length);
    for (const index of order) taken[index] = left.get(this.#codes.expected[index] as number)?.pop() ?? -1;
    return taken;
  }

  /** Goes on with work of that name until it is done, or gives what came out of it. */
  *#once<T extends object>(key: string, begin: () => T | Sliced<T>): Sliced<T> {
    for (;;) {
      const known = this.#results.get(key) as T | undefined;
      if (known !== undefined) return known;
      const work = (this.#underWay.get(key) as Sliced<T> | undefined) ?? begin();
      if (isSliced(work)) {
        this.#underWay.set(key, work);
        if (!this.#goOn(key, work)) yield;
      } else this.#results.set(key, work);
    }
  }

  /** One slice; true when it was the last. What throws (a comparator of the host may) is begun anew by the next. */
  #goOn(key: string, work: Sliced<object>): boolean {
    let done = true;
    try {
      const slice = work.next();
      done = slice.done === true;
      if (slice.done === true) this.#results.set(key, slice.value);
      return done;
    } finally {
      if (done) this.#underWay.delete(key);
    }
  }

  /** The lists as classes: of names where only names count, else every item and step is its own class. */
  #pair(indexes: readonly number[]): {
    readonly expected: Int32Array;
    readonly actual: Int32Array;
    readonly equal: ClassEquality;
  } {
    if (this.#withArguments) {
      const actual = Int32Array.from(this.steps, (_step, index) => index);
      const equal = (left: number, right: number): boolean => this.compare(left, right) === EQUAL;
      return { expected: Int32Array.from(indexes), actual, equal };
    }
    const coded = this.#codes;
    const expected = Int32Array.from(indexes, (index) => coded.expected[index] as number);
    return { expected, actual: coded.actual, equal: coded.equal };
  }

  *#anyUnknown(): Sliced<{ readonly unknown: boolean }> {
    const budget = new WorkBudget();
    for (let expected = 0; expected < this.expected.items.length; expected += 1) {
      for (let actual = 0; actual < this.steps.length; actual += 1) {
        if (this.compare(expected, actual) === UNKNOWN) return { unknown: true };
      }
      budget.spend(this.steps.length * ARGUMENT_CELLS);
      if (budget.pauses()) yield;
    }
    return { unknown: false };
  }
}

function indexesWhere(items: readonly ExpectedItem[], wanted: (item: ExpectedItem) => boolean): readonly number[] {
  const indexes: number[] = [];
  items.forEach((one, index) => {
    if (wanted(one)) indexes.push(index);
  });
  return indexes;
}
