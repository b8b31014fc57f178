import type { Column } from "../model/expectation.ts";
import { isPromise } from "../model/promise.ts";
import type { ColumnResolution, ResolutionRequest } from "../model/resolution.ts";
import type { Annotations, Scorer } from "../model/scorer.ts";
import { failedFound, readExpectation, reasonOf } from "./found.ts";
import { foundInAnnotations } from "./from-annotations.ts";
import { foundInContext } from "./from-context.ts";
import { foundOnSpans } from "./from-spans.ts";
import { joinColumns } from "./join-columns.ts";
import { COLUMNS } from "./parse.ts";
import type { ExpectationSource, Found } from "./source.ts";

/** What a resolver needs to know of a scorer. */
export type ResolvingScorer = Pick<Scorer, "columns" | "all_columns" | "manifest" | "fallback" | "annotations">;

/** The one column that a scorer is handed, or why there is none. */
export type ScorerResolution = ColumnResolution;

export interface ResolverOptions {
  /** Source 4, in the order in which they are asked. */
  readonly sources: readonly ExpectationSource[];
  /** Source 3 for every scorer; a scorer's own annotations go before it. */
  readonly annotations?: Annotations | undefined;
}

const NONE: ColumnResolution = { state: "none" };

/**
 * Finds the expectation that a scorer is handed for a unit.
 *
 * Per column, the first source that speaks decides:
 *
 * | | source | speaks for | origin | two different values |
 * | --- | --- | --- | --- | --- |
 * | 1 | in-process (`withExpectation`) | its unit, `trajectory` by default | own | `ambiguous_expectation` |
 * | 2 | `aip.expected_*` on the unit's spans | `aip.expected_unit`, `trajectory` by default | own | `ambiguous_expectation` |
 * | 3 | `annotations`, the scorer's before the resolver's | unit id before bare trace or session id | own | not possible |
 * | 4 | configured sources in order; in each list of rules the first match | the rule's unit | own; a rule with no match: run | first wins |
 * | 5 | the scorer's run-level fallback | every unit | run | not possible |
 *
 * A source that fails for a column is that failure: what it would have said is unknown, and the next source never
 * stands in for it. Of a scorer's columns, best first, the first that resolved is handed over; if none did, the first
 * failure is the answer. A scorer that asks for all columns is handed every one that resolved. A source is asked at most once about one request object, and only when a column needs it.
 */
export class Resolver {
  readonly #sources: readonly ExpectationSource[];
  readonly #annotations: Annotations | undefined;
  /** By request: what each source said. The request's owner decides how long that is remembered. */
  readonly #asked = new WeakMap<ResolutionRequest, Map<unknown, Found | Promise<Found>>>();
  readonly #fallbacks = new WeakMap<object, Found>();

  constructor(options: ResolverOptions) {
    this.#sources = options.sources;
    this.#annotations = options.annotations;
  }

  /** Answers by return whenever the sources that are needed do. Never throws, never rejects. */
  resolve(request: ResolutionRequest, scorer: ResolvingScorer): ScorerResolution | Promise<ScorerResolution> {
    if (scorer.all_columns === true) return this.#allOf(columnsOf(scorer), request, scorer);
    return this.#firstOf(columnsOf(scorer), 0, NONE, request, scorer);
  }

  /**
   * True when {@link resolve} answers by return for this very request object. A function that is not known to be
   * asynchronous is asked; its answer is kept for the request.
   */
  isSynchronous(request: ResolutionRequest, scorer: ResolvingScorer): boolean {
    for (const column of columnsOf(scorer)) {
      const settled = this.#byPosition(request, scorer, column) ?? this.#bySourcesAtOnce(request, column);
      if (settled === "later") return false;
      if (scorer.all_columns === true) continue;
      if (settled?.state === "resolved") return true;
      if (settled === undefined && this.#fallback(scorer, column).state === "resolved") return true;
    }
    return true;
  }

  /** Whether a source beyond the unit itself and the scorer's configuration could answer. */
  get hasSources(): boolean {
    return this.#sources.length > 0 || this.#annotations !== undefined;
  }

  /** True while a source has still to load. */
  needsWaiting(): boolean {
    return this.#sources.some((source) => source.loading() !== undefined);
  }

  /** Why answers are not what they will be once every source has loaded; undefined where they are. */
  notReady(): string | undefined {
    if (this.needsWaiting()) return "expectations are being loaded";
    return this.#sources.some((source) => source.hasFailed?.() === true)
      ? "expectations could not be loaded"
      : undefined;
  }

  /** Settles when no source has to load any more, or each has used up its time. Never rejects. */
  async ready(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.loading()));
  }

  /** Lets go of the sources' timers. */
  close(): void {
    for (const source of this.#sources) source.close?.();
  }

  #firstOf(
    columns: readonly Column[],
    from: number,
    soFar: ColumnResolution,
    request: ResolutionRequest,
    scorer: ResolvingScorer,
  ): ColumnResolution | Promise<ColumnResolution> {
    let fallen = soFar;
    for (const [index, column] of columns.entries()) {
      if (index < from) continue;
      const outcome = this.#column(request, scorer, column);
      if (isPromise(outcome)) {
        const before = fallen;
        return outcome.then((found) =>
          found.state === "resolved" ? found : this.#firstOf(columns, index + 1, worse(before, found), request, scorer),
        );
      }
      if (outcome.state === "resolved") return outcome;
      fallen = worse(fallen, outcome);
    }
    return fallen;
  }

  /** Every column that resolves, joined; the worst of them where none does. */
  #allOf(
    columns: readonly Column[],
    request: ResolutionRequest,
    scorer: ResolvingScorer,
  ): ColumnResolution | Promise<ColumnResolution> {
    const outcomes = columns.map((column) => this.#column(request, scorer, column));
    const settled = outcomes.filter((outcome) => !isPromise(outcome)) as ColumnResolution[];
    return settled.length === outcomes.length ? joinColumns(settled) : Promise.all(outcomes).then(joinColumns);
  }

  #column(
    request: ResolutionRequest,
    scorer: ResolvingScorer,
    column: Column,
  ): ColumnResolution | Promise<ColumnResolution> {
    const settled = this.#byPosition(request, scorer, column) ?? this.#bySources(request, column, 0);
    if (isPromise(settled)) return settled.then((found) => found ?? this.#fallback(scorer, column));
    return settled ?? this.#fallback(scorer, column);
  }

  /** Sources 1 to 3: what came with the unit itself. */
  #byPosition(request: ResolutionRequest, scorer: ResolvingScorer, column: Column): ColumnResolution | undefined {
    return (
      this.#once(request, foundInContext, () => foundInContext(request))[column] ??
      this.#once(request, foundOnSpans, () => foundOnSpans(request))[column] ??
      foundInAnnotations(request, scorer.annotations)[column] ??
      foundInAnnotations(request, this.#annotations)[column]
    );
  }

  #once(request: ResolutionRequest, key: unknown, read: () => Found): Found {
    const known = this.#memory(request).get(key);
    if (known !== undefined && !isPromise(known)) return known;
    const found = read();
    this.#memory(request).set(key, found);
    return found;
  }

  #bySources(
    request: ResolutionRequest,
    column: Column,
    from: number,
  ): ColumnResolution | undefined | Promise<ColumnResolution | undefined> {
    for (const [index, source] of this.#sources.entries()) {
      if (index < from) continue;
      const found = this.#ask(source, request);
      if (isPromise(found)) return found.then((late) => late[column] ?? this.#bySources(request, column, index + 1));
      if (found[column] !== undefined) return found[column];
    }
    return undefined;
  }

  #bySourcesAtOnce(request: ResolutionRequest, column: Column): ColumnResolution | undefined | "later" {
    for (const source of this.#sources) {
      if (!this.#memory(request).has(source) && !source.answersAtOnce()) return "later";
      const found = this.#ask(source, request);
      if (isPromise(found)) return "later";
      if (found[column] !== undefined) return found[column];
    }
    return undefined;
  }

  /** Keeps the answer for the request's other columns and scorers; a promise gives way to what it brings. */
  #ask(source: ExpectationSource, request: ResolutionRequest): Found | Promise<Found> {
    const memory = this.#memory(request);
    const known = memory.get(source);
    if (known !== undefined) return known;
    const found = guarded(source, request);
    memory.set(source, found);
    if (isPromise(found)) void found.then((late) => memory.set(source, late));
    return found;
  }

  #memory(request: ResolutionRequest): Map<unknown, Found | Promise<Found>> {
    let memory = this.#asked.get(request);
    if (memory === undefined) {
      memory = new Map();
      this.#asked.set(request, memory);
    }
    return memory;
  }

  #fallback(scorer: ResolvingScorer, column: Column): ColumnResolution {
    if (scorer.fallback === undefined) return NONE;
    let found = this.#fallbacks.get(scorer.fallback);
    if (found === undefined) {
      found = readExpectation(scorer.fallback, "run", "the scorer's configuration");
      this.#fallbacks.set(scorer.fallback, found);
    }
    return found[column] ?? NONE;
  }
}

/** Makes a {@link Resolver}. */
export function createResolver(options: ResolverOptions): Resolver {
  return new Resolver(options);
}

/** The expectation columns that a scorer can use, best first. */
export function columnsOf(scorer: Pick<Scorer, "columns" | "manifest">): readonly Column[] {
  return scorer.columns ?? COLUMNS.filter((column) => scorer.manifest.required_columns.includes(column));
}

/** Whether a scorer says nothing of a unit for which nobody says what is expected. */
export function needsExpectation(scorer: Scorer): boolean {
  return scorer.fallback === undefined && scorer.annotations === undefined && columnsOf(scorer).length > 0;
}

/** A failure says more than nothing; of two failures the first is that of the better column. */
function worse(before: ColumnResolution, now: ColumnResolution): ColumnResolution {
  return before.state === "none" ? now : before;
}

/** Sources promise not to throw; one that does anyway is a source that failed. */
function guarded(source: ExpectationSource, request: ResolutionRequest): Found | Promise<Found> {
  const failed = (error: unknown): Found => failedFound("expectation_error", `${source.name}: ${reasonOf(error)}`);
  try {
    const found = source.find(request);
    return isPromise(found) ? found.then(undefined, failed) : found;
  } catch (error) {
    return failed(error);
  }
}
