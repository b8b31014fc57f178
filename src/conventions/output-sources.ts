import type { AttributeMap, Content, ReadOutput } from "../model/span.ts";
import { eachWithPrefix, own } from "./attributes.ts";
import { OutputCollector } from "./calls.ts";
import { bytesOf } from "./content.ts";
import type { KeepContent, OutputSource } from "./convention.ts";
import { decodeJson } from "./json.ts";

const EMPTY: ReadOutput = Object.freeze({ calls: [], has_output: true, empty: true });
/** Recorded, and neither readable nor known to be empty. */
const UNREADABLE: ReadOutput = Object.freeze({ calls: [], has_output: true, empty: false });

/** One attribute of a flattened list, copied. */
export interface FlatEntry {
  readonly key: string;
  readonly content: Content | undefined;
}

/** Most attributes that one flattened output is read from; SDKs keep 128 a span unless told otherwise. */
const MAX_ENTRIES = 4_096;

/** A completion held as one value: JSON text, nested value, or plain text. An empty text is an output too. */
export function wholeOutput(
  value: unknown,
  keep: KeepContent,
  read: (decoded: unknown, into: OutputCollector) => void = walkAll,
): OutputSource | undefined {
  if (value === "") return { bytes: 0, read: () => EMPTY };
  const content = keep(value);
  return content === undefined ? undefined : sourceOf(content, read);
}

/** A completion held as flattened attributes. */
export function flatOutput(
  entries: readonly FlatEntry[],
  read: (entries: readonly FlatEntry[], into: OutputCollector) => void,
): OutputSource {
  let bytes = 0;
  for (const entry of entries) bytes += bytesOf(entry.content) + entry.key.length;
  return {
    bytes,
    read: () => {
      const collector = new OutputCollector();
      read(entries, collector);
      return collector.result();
    },
  };
}

/** Copies the attributes whose key begins with `prefix`. */
export function flatEntries(attributes: AttributeMap, prefix: string, keep: KeepContent): readonly FlatEntry[] {
  const entries: FlatEntry[] = [];
  eachWithPrefix(attributes, prefix, (key) => {
    if (entries.length < MAX_ENTRIES) entries.push({ key, content: keep(own(attributes, key)) });
  });
  return entries;
}

/** A non-negative list index written in digits, else -1. */
export function indexOf(part: string | undefined): number {
  if (part === undefined || part === "" || part.length > 6) return -1;
  for (const digit of part) if (digit < "0" || digit > "9") return -1;
  return Number(part);
}

function sourceOf(content: Content, read: (decoded: unknown, into: OutputCollector) => void): OutputSource {
  return {
    bytes: bytesOf(content),
    read: () => {
      if (content.cut) return UNREADABLE;
      if (typeof content.value === "string" && content.value.trim() === "") return EMPTY;
      const decoded = decodeJson(content.value);
      if (decoded === undefined) return UNREADABLE;
      const collector = new OutputCollector();
      read(decoded, collector);
      return collector.result();
    },
  };
}

function walkAll(decoded: unknown, into: OutputCollector): void {
  into.walk(decoded);
}
