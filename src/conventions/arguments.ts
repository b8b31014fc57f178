import { isRedacted } from "./content.ts";
import { decodeJson, isRecord } from "./json.ts";

/** Arguments as read: `unparsed` keeps what was recorded, and is never compared. */
export interface ReadArguments {
  readonly value: unknown;
  readonly status: "ok" | "absent" | "unparsed";
}

const ABSENT: ReadArguments = Object.freeze({ value: undefined, status: "absent" });

/**
 * Reads tool arguments: an object, JSON text, or JSON text inside JSON text. Arguments are named, so anything but an
 * object (a bare text, a list, a text cut short, Python's notation) is `unparsed`.
 */
export function readArguments(value: unknown): ReadArguments {
  if (value === undefined || value === null || value === "" || value === "null" || isRedacted(value)) return ABSENT;
  const decoded = decodeJson(value);
  if (isRecord(decoded)) return { value: decoded, status: "ok" };
  if (isRedacted(decoded)) return ABSENT;
  return { value: decoded === undefined ? value : decoded, status: "unparsed" };
}

/** Reads arguments from a key that other emitters use for the tool's definition: a JSON schema is no argument. */
export function readArgumentsUnlessSchema(value: unknown): ReadArguments {
  const read = readArguments(value);
  return read.status === "ok" && isSchema(read.value) ? ABSENT : read;
}

function isSchema(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return Object.hasOwn(value, "$schema") || (typeof value.type === "string" && isRecord(value.properties));
}
