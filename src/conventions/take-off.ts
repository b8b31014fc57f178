import type { LiveSpanView, TakenOff } from "../model/held-span.ts";
import type { AttributeMap, SpanEvent } from "../model/span.ts";
import { eventAttributes, own } from "./attributes.ts";
import { heldValue } from "./content.ts";
import type { KeyPath } from "./key-paths.ts";
import { type MarkerTable, OWN_BIT, SESSION_BIT } from "./marker-table.ts";

const NO_EVENTS: readonly SpanEvent[] = Object.freeze([]);
/** What one such span occupies without its values. */
const BASE_BYTES = 320;
const NESTED_BYTES = 256;

/** Most events that are held of a span; SDKs keep 128 unless told otherwise. */
const MAX_EVENTS = 1_024;

/** Attribute values side by side, under the keys of a path that many spans share. */
class Taken implements TakenOff {
  readonly seq: number;
  readonly local_root: boolean;
  readonly events: readonly SpanEvent[];
  readonly bytes: number;
  readonly #bits: number;
  readonly #path: KeyPath;
  readonly #values: readonly unknown[];

  constructor(
    seq: number,
    localRoot: boolean,
    bits: number,
    path: KeyPath,
    values: readonly unknown[],
    events: readonly SpanEvent[],
  ) {
    this.seq = seq;
    this.local_root = localRoot;
    this.events = events;
    this.#bits = bits;
    this.#path = path;
    this.#values = values;
    let bytes = BASE_BYTES;
    for (const value of values) bytes += bytesOf(value);
    for (const event of events) bytes += bytesOfEvent(event);
    this.bytes = bytes;
  }

  get marked(): boolean {
    return (this.#bits & ~(OWN_BIT | SESSION_BIT)) !== 0;
  }

  get annotated(): boolean {
    return (this.#bits & OWN_BIT) !== 0;
  }

  attributes(): AttributeMap {
    return this.#path.attributesOf(this.#values);
  }
}

/** Takes off a span what its reading may need. Throws what the span's attributes throw. */
export function takeOff(
  view: LiveSpanView,
  table: MarkerTable,
  bits: number,
  maxContentBytes: number,
  seq: number,
  localRoot: boolean,
): TakenOff {
  const { path, values } = table.collect(view.attributes, maxContentBytes);
  const events = view.events.length === 0 ? NO_EVENTS : eventsOf(view, table, maxContentBytes);
  return new Taken(seq, localRoot, bits, path, values, events);
}

function eventsOf(view: LiveSpanView, table: MarkerTable, maxContentBytes: number): readonly SpanEvent[] {
  const events: SpanEvent[] = [];
  for (const event of view.events) {
    if (events.length >= MAX_EVENTS) break;
    const name = event?.name;
    if (!table.readsEvent(name)) continue;
    const given = eventAttributes(event);
    const attributes: Record<string, unknown> = Object.create(null);
    for (const key in given) attributes[key] = heldValue(own(given, key), table.readsContent(key), maxContentBytes);
    events.push({ name, attributes });
  }
  return events;
}

function bytesOfEvent({ name, attributes }: SpanEvent): number {
  let bytes = NESTED_BYTES + String(name).length;
  for (const value of Object.values(attributes ?? {})) bytes += bytesOf(value);
  return bytes;
}

/** Estimated bytes of a value beyond its place in a list. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return 8 + value.length * 2;
  return typeof value === "object" && value !== null ? NESTED_BYTES : 8;
}
