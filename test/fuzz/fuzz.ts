import fc from "fast-check";
import { expect } from "vitest";

/** Seconds for each property; without it, a number of runs that is a matter of moments. */
const SECONDS = Number(process.env["FUZZ_SECONDS"] ?? 0);

/** Checks a property: `runs` times, or for as long as `FUZZ_SECONDS` says. Nothing may leak into prototypes. */
export async function fuzz<T>(arbitrary: fc.Arbitrary<T>, runs: number, check: (value: T) => unknown): Promise<void> {
  const long = { numRuns: 1_000_000_000, interruptAfterTimeLimit: SECONDS * 1_000, markInterruptAsFailure: false };
  await fc.assert(
    fc.asyncProperty(arbitrary, async (value) => {
      await check(live(value));
      for (const leaked in {}) throw new Error(`Object.prototype has ${leaked}`);
    }),
    SECONDS > 0 ? long : { numRuns: runs },
  );
}

/** Time limit of a test that fuzzes. */
export const FUZZ_TIMEOUT: number = (SECONDS + 60) * 1_000;

/** Arrays in arrays, so deep that recursion over them exhausts the stack. */
export function nested(depth: number): unknown {
  let value: unknown = [];
  for (let at = 0; at < depth; at += 1) value = [value];
  return value;
}

const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "length",
  "then",
  "toJSON",
  "",
];

/** Keys that objects have of their own accord. */
export const nastyName: fc.Arbitrary<string> = fc.constantFrom(...NAMES);

/** JSON values that break readers. */
export const nastyJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1e308,
    2 ** 53,
    0.1,
    "",
    "0",
    "null",
    "{}",
    "[]",
    "{",
    '"',
    "\u0000",
    "\ud800",
  ),
  fc.constantFrom<unknown>(
    [],
    {},
    [[]],
    [null],
    "x".repeat(70_000),
    " ".repeat(5_000),
    "9".repeat(400),
    "[".repeat(5_000),
  ),
  fc.constant(null).map(() => nested(20_000)),
  nastyName,
  nastyName.map((name) => JSON.parse(`{${JSON.stringify(name)}:{"polluted":true}}`) as unknown),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(JSON.stringify(value))),
);

/** Stands for a value that a library which looks at values could not bear; {@link live} makes it. */
class Hostile {
  readonly kind: string;
  constructor(kind: string) {
    this.kind = kind;
  }
}

/** Values of the host that no JSON has: they throw, hold themselves, or unfold without end. */
export const hostile: fc.Arbitrary<unknown> = fc
  .constantFrom(
    "getter",
    "proxy",
    "ring",
    "revoked",
    "shared",
    "undefined",
    "nan",
    "bigint",
    "symbol",
    "function",
    "date",
    "map",
    "bytes",
    "bare",
  )
  .map((kind) => new Hostile(kind));

/** The value with everything hostile in it made real; what is nested deeper stays. */
function live<T>(value: T, depth = 0): T {
  if (value instanceof Hostile) return hostileOf(value.kind) as T;
  if (depth > 5 || typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return value.map((item: unknown) => live(item, depth + 1)) as T;
  if (prototype !== Object.prototype && prototype !== null) return value;
  const made = {};
  for (const key of Object.keys(value)) {
    const member = live((value as Record<string, unknown>)[key], depth + 1);
    Object.defineProperty(made, key, { value: member, enumerable: true, writable: true, configurable: true });
  }
  return made as T;
}

function hostileOf(kind: string): unknown {
  const fail = (): never => {
    throw new Error("hostile");
  };
  const ring: Record<string, unknown> = { a: 1 };
  ring["self"] = ring;
  let shared: unknown = ["x"];
  for (let depth = 0; depth < 50; depth += 1) shared = [shared, shared];
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const made: Readonly<Record<string, unknown>> = {
    getter: Object.defineProperty({}, "name", { get: fail, enumerable: true }),
    proxy: new Proxy({}, { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail, getPrototypeOf: fail }),
    ring,
    revoked: revoked.proxy,
    shared,
    nan: Number.NaN,
    bigint: 10n,
    symbol: Symbol("s"),
    function: () => 1,
    date: new Date(0),
    map: new Map([[1, 2]]),
    bytes: new Uint8Array(3),
    bare: Object.assign(Object.create(null), { a: 1 }),
  };
  return made[kind];
}

/** Both kinds. */
export const nasty: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: nastyJson, weight: 3 },
  { arbitrary: hostile, weight: 1 },
);

type Container = Record<string | number, unknown>;

/** Every place of a value, depth first. */
function placesOf(root: unknown): { readonly holder: Container; readonly key: string | number }[] {
  const places: { readonly holder: Container; readonly key: string | number }[] = [];
  const pending: unknown[] = [root];
  for (let value = pending.pop(); pending.length > 0 || value !== undefined; value = pending.pop()) {
    if (!isPlain(value)) continue;
    const holder = value as Container;
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      if (places.length < 20_000) pending.push(holder[key]);
    }
  }
  return places;
}

/** A later change may go into what an earlier one put there, and the next run starts with it again. */
function ownCopy(value: unknown): unknown {
  try {
    return isPlain(value) ? structuredClone(value) : value;
  } catch {
    return value;
  }
}

function isPlain(value: unknown): boolean {
  try {
    if (Array.isArray(value)) return true;
    const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
    // A getter of the host would be run.
    return (
      prototype === Object.prototype && !Object.values(Object.getOwnPropertyDescriptors(value)).some(({ get }) => get)
    );
  } catch {
    return false;
  }
}

/** One change of a value: where (a share of all places), how, and what comes there. */
export interface Change {
  readonly at: number;
  readonly how: "replace" | "delete" | "rename" | "repeat" | "empty";
  readonly value: unknown;
  readonly name: string;
}

/** A few changes. */
export function changes(values: fc.Arbitrary<unknown>): fc.Arbitrary<Change[]> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 0.999_999, noNaN: true }),
    how: fc.constantFrom(
      "replace" as const,
      "replace" as const,
      "delete" as const,
      "rename" as const,
      "repeat" as const,
      "empty" as const,
    ),
    value: values,
    name: nastyName,
  });
  return fc.array(change, { minLength: 1, maxLength: 6 });
}

/** A copy of plain data with the changes made to it. */
export function mutated<T>(original: T, made: readonly Change[]): T {
  const box = { root: structuredClone(original) };
  for (const { at, how, value, name } of made) {
    const places = placesOf(box);
    const place = places[Math.floor(at * places.length)];
    if (place === undefined) continue;
    const { holder, key } = place;
    const old = holder[key];
    if (how === "replace") holder[key] = ownCopy(value);
    else if (how === "delete") delete holder[key];
    else if (how === "empty") holder[key] = !isPlain(old) ? "" : Array.isArray(old) ? [] : {};
    else if (how === "rename" && !Array.isArray(holder)) {
      delete holder[key];
      Object.defineProperty(holder, name, { value: old, enumerable: true, writable: true, configurable: true });
    } else if (Array.isArray(holder)) holder.push(old);
  }
  return box.root;
}

/** A message for people: one line of sane length. */
export function expectOneLine(message: string, longest = 1_000): void {
  expect(message).not.toBe("");
  expect(message).not.toMatch(/[\r\n]/);
  expect(message.length).toBeLessThan(longest);
}
