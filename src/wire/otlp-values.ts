import type { AttributeMap } from "../model/span.ts";

/** How deep a value may be nested; what is deeper is dropped. */
export const MAX_DEPTH = 64;

type JsonObject = Readonly<Record<string, unknown>>;

/** True for JSON objects. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own member under its protobuf JSON name, else under its snake_case name. */
export function field(value: JsonObject, name: string, snakeName: string = name): unknown {
  if (Object.hasOwn(value, name)) return value[name];
  return Object.hasOwn(value, snakeName) ? value[snakeName] : undefined;
}

/** A list member; anything else is an empty list. */
export function list(value: JsonObject, name: string, snakeName: string = name): readonly unknown[] {
  const found = field(value, name, snakeName);
  return Array.isArray(found) ? found : [];
}

/** Key-value pairs as a map without a prototype, so that keys such as `__proto__` stay plain data. */
export function attributesOf(pairs: readonly unknown[], depth = 0): AttributeMap {
  const out: Record<string, unknown> = Object.create(null);
  for (const pair of pairs) {
    if (!isObject(pair)) continue;
    const { key, value } = pair;
    if (typeof key === "string") out[key] = anyValue(value, depth + 1);
  }
  return out;
}

/** The value of an AnyValue; undefined when it holds none. */
function anyValue(value: unknown, depth: number): unknown {
  if (!isObject(value) || depth > MAX_DEPTH) return undefined;
  // Nearly all values are texts; looking up the other names takes longer than all the rest.
  if (typeof value.stringValue === "string") return value.stringValue;
  const text = field(value, "stringValue", "string_value");
  if (text !== undefined) return typeof text === "string" ? text : undefined;
  const flag = field(value, "boolValue", "bool_value");
  if (flag !== undefined) return typeof flag === "boolean" ? flag : undefined;
  const whole = field(value, "intValue", "int_value");
  if (whole !== undefined) return integer(whole);
  const double = field(value, "doubleValue", "double_value");
  if (double !== undefined) return doubleOf(double);
  const array = field(value, "arrayValue", "array_value");
  if (isObject(array)) return list(array, "values").map((item) => anyValue(item, depth + 1));
  const map = field(value, "kvlistValue", "kvlist_value");
  if (isObject(map)) return attributesOf(list(map, "values"), depth);
  const bytes = field(value, "bytesValue", "bytes_value");
  return typeof bytes === "string" ? bytes : undefined;
}

/** 64-bit integers come as text; those that a number cannot hold stay text. */
function integer(value: unknown): unknown {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value === "" || value.length > 20) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number)) return undefined;
  return Number.isSafeInteger(number) ? number : value;
}

/** Protobuf JSON writes the special values as text; null stands for one that JSON could not hold. */
function doubleOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Number.POSITIVE_INFINITY;
  if (value === "-Infinity") return Number.NEGATIVE_INFINITY;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}
