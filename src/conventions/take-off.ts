import { ANNOTATED, type LiveSpanView, MARKED } from "../model/held-span.ts";
import type { SpanEvent } from "../model/span.ts";
import { eventAttributes, own } from "./attributes.ts";
import { type Allowance, bytesHeld, heldValue } from "./content.ts";
import { type MarkerTable, OWN_BIT, SESSION_BIT } from "./marker-table.ts";

const NO_EVENTS: readonly SpanEvent[] = Object.freeze([]);
/** What a held span occupies without its values, and an event without its attributes. */
const SPAN_BYTES = 320;
const EVENT_BYTES = 128;

/** Most events that are held of a span; SDKs keep 128 unless told otherwise. */
const MAX_EVENTS = 1_024;

/** Takes off a span what its reading may need; `names` is what its names say, or all that it says. Throws what the span's attributes and events throw. */
export function takeOff(view: LiveSpanView, table: MarkerTable, names: number, allowance: Allowance): void {
  allowance.renew();
  const { keys, values, bits: said, bytes } = table.collect(view.attributes, allowance);
  const bits = names | said;
  const events = view.events.length === 0 ? NO_EVENTS : eventsOf(view, table, allowance);
  view.says = ((bits & ~(OWN_BIT | SESSION_BIT)) === 0 ? 0 : MARKED) | ((bits & OWN_BIT) === 0 ? 0 : ANNOTATED);
  view.bytes = SPAN_BYTES + bytes;
  for (const event of events) view.bytes += bytesOf(event);
  view.letGo(keys, values, events);
}

function eventsOf(view: LiveSpanView, table: MarkerTable, allowance: Allowance): readonly SpanEvent[] {
  const events: SpanEvent[] = [];
  for (const event of view.events) {
    if (events.length >= MAX_EVENTS) break;
    const name = event?.name;
    if (!table.readsEvent(name)) continue;
    const given = eventAttributes(event);
    const attributes: Record<string, unknown> = Object.create(null);
    for (const key in given) attributes[key] = heldValue(own(given, key), table.readsContent(key), allowance);
    events.push({ name, attributes });
  }
  return events;
}

function bytesOf({ attributes }: SpanEvent): number {
  let bytes = EVENT_BYTES;
  for (const value of Object.values(attributes ?? {})) bytes += bytesHeld(value);
  return bytes;
}
