import { decimalOfNumber } from "./decimal.ts";

const MAX_DEPTH = 200;
const MAX_VALUES = 100_000;

/** Counts what has been read, so that shared branches cannot unfold without end. */
interface Budget {
  left: number;
}

/**
 * A value as text such that deeply equal values have equal text: keys in one order, numbers as exact decimals (1 and
 * 1.0 are one number, an integer and a bigint too), members that are undefined left out. Undefined for what is too
 * deep, too large or a ring: of that nothing is known. O(size), keys sorted.
 */
export function canonicalText(value: unknown): string | undefined {
  return write(value, 0, { left: MAX_VALUES });
}

function write(value: unknown, depth: number, budget: Budget): string | undefined {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_DEPTH) return undefined;
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
    case "bigint":
      return decimalOfNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? writeList(value, depth, budget) : writeObject(value, depth, budget);
    case "undefined":
      return "null";
    default:
      // Functions and symbols are no data; each is equal to nothing, not even to itself.
      return undefined;
  }
}

function writeList(list: readonly unknown[], depth: number, budget: Budget): string | undefined {
  const parts: string[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const part = write(list[index], depth + 1, budget);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return `[${parts.join(",")}]`;
}

function writeObject(value: object, depth: number, budget: Budget): string | undefined {
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    const part = write(member, depth + 1, budget);
    if (part === undefined) return undefined;
    parts.push(`${JSON.stringify(key)}:${part}`);
  }
  return `{${parts.join(",")}}`;
}
