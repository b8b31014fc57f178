/**
 * Work done in slices: it pauses whenever it has used up a slice of cells, and returns the result at its end. So one
 * form of an algorithm serves those who want the result at once ({@link finish}) and those who must not hold the event
 * loop; what comes out is the same.
 */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Tells work from a result; no result has a method `next`. */
export function isSliced<T extends object>(work: T | Sliced<T>): work is Sliced<T> {
  return "next" in work && typeof work.next === "function";
}

/** Does all of the work that is left. */
export function finish<T extends object>(work: T | Sliced<T>): T {
  if (!isSliced(work)) return work;
  for (;;) {
    const slice = work.next();
    if (slice.done === true) return slice.value;
  }
}

/** The same work or result, as work. */
export function* toSlices<T extends object>(work: T | Sliced<T>): Sliced<T> {
  return isSliced(work) ? yield* work : work;
}

/** What `next` makes of the result: at once where the result is at hand, else in slices. */
export function andThen<T extends object, U extends object>(
  work: T | Sliced<T>,
  next: (result: T) => U,
): U | Sliced<U> {
  return isSliced(work) ? chained(work, next) : next(work);
}

function* chained<T, U>(work: Sliced<T>, next: (result: T) => U): Sliced<U> {
  return next(yield* work);
}
