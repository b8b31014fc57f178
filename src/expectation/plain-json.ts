import { show } from "../model/errors.ts";
import { pathText } from "./issues.ts";

const MAX_DEPTH = 64;
const MAX_NODES = 100_000;

/** A copy of a JSON value, or why it is none. */
export type PlainJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

interface Visit {
  readonly value: unknown;
  readonly key: string | number;
  readonly into: Record<string | number, unknown>;
  readonly depth: number;
  readonly parent: Visit | undefined;
}

/**
 * Copies plain JSON of a sane size; members that are undefined are left out.
 *
 * The copy cannot change under our hands, and nothing in it can exhaust a recursive reader: rings, deep nesting and
 * shared branches that unfold without end (YAML aliases) all run into the two limits. Own stack, O(nodes).
 */
export function plainJson(value: unknown): PlainJson {
  const result: Record<string, unknown> = {};
  const pending: Visit[] = [{ value, key: "value", into: result, depth: 0, parent: undefined }];
  let nodes = 0;
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    nodes += 1;
    if (nodes > MAX_NODES) return { ok: false, message: `at most ${MAX_NODES} values are allowed, got more` };
    const problem = copyOne(visit, pending);
    if (problem !== undefined) return { ok: false, message: problem };
  }
  return { ok: true, value: result.value };
}

function copyOne(visit: Visit, pending: Visit[]): string | undefined {
  const { value, into, key } = visit;
  if (isScalar(value)) {
    into[key] = value;
    return undefined;
  }
  if (visit.depth >= MAX_DEPTH) return `at most ${MAX_DEPTH} levels of nesting are allowed, got more`;
  if (Array.isArray(value)) return copyArray(value, visit, pending);
  if (!isPlainObject(value)) return `${at(visit)}must be a JSON value, got ${show(value)}`;
  const copy: Record<string, unknown> = {};
  into[key] = copy;
  for (const name of Object.keys(value)) {
    // Object literals and validators take this key for the prototype: it would vanish or do harm, never be data.
    if (name === "__proto__") return `${at(visit)}the key "__proto__" is not allowed`;
    const member = value[name];
    if (member === undefined) continue;
    // Set at once, so that the copy has its keys in the order of the original.
    copy[name] = undefined;
    pending.push({ value: member, key: name, into: copy, depth: visit.depth + 1, parent: visit });
  }
  return undefined;
}

function copyArray(value: readonly unknown[], visit: Visit, pending: Visit[]): string | undefined {
  if (value.length > MAX_NODES) return `at most ${MAX_NODES} values are allowed, got ${value.length}`;
  const copy: unknown[] = new Array(value.length).fill(undefined);
  visit.into[visit.key] = copy;
  const into = copy as unknown as Record<number, unknown>;
  for (const [key, item] of value.entries()) {
    pending.push({ value: item, key, into, depth: visit.depth + 1, parent: visit });
  }
  return undefined;
}

function isScalar(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || value === undefined || typeof value === "string" || typeof value === "boolean";
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm have another Object.prototype; like ours it has no prototype of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function at(visit: Visit): string {
  const path: PropertyKey[] = [];
  for (let current: Visit | undefined = visit; current?.parent !== undefined; current = current.parent) {
    path.unshift(current.key);
  }
  return path.length === 0 ? "" : `${pathText("", path)}: `;
}
