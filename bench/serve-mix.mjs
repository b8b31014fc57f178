// What comes to a service from many agents and from what is around them, over and over under new ids: traces with steps,
// traces without, sessions, spans that come late or too late, that come twice, that never come.
import { performance } from "node:perf_hooks";
import { protobufOf, serveRequests } from "./serve-load.mjs";

const MEGABYTES = 20;
/** Bytes of a trace id, and digits of a session id, that say which time it is sent. */
const ID_BYTES = 4;
const GENERATION = "00000000";
const SESSION = new RegExp(`session-\\d+-${GENERATION}`, "g");

const isAgentic = ({ span }) => span.attributes.some(({ key }) => key.startsWith("gen_ai."));
const isTool = ({ span }) => span.name.startsWith("execute_tool");
const isRoot = ({ span }) => span.parentSpanId === "";

/**
 * What becomes of every so many traces: `of` finds the span, and `place` says where that goes. A trace that has no such
 * span stays as it is.
 */
const FATES = [
  { every: 50, from: 1, of: isRoot, place: "never" },
  { every: 50, from: 13, of: isTool, place: "never" },
  { every: 25, from: 6, of: isTool, place: "late" },
  { every: 50, from: 30, of: (item) => !isRoot(item) && !isAgentic(item), place: "tooLate" },
  { every: 20, from: 9, of: isTool, place: "twice" },
];
/** Every so many traces nothing is agentic. */
const PLAIN_EVERY = 4;

/** Every span with what is around it, in the order of sending; sessions have ids of one length. */
function itemsOf({ resourceSpans }, request) {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => {
        for (const { key, value } of span.attributes)
          if (key === "gen_ai.conversation.id") value.stringValue += `-${GENERATION}`;
        return { resource, scope, span, request };
      }),
    ),
  );
}

/** The same items by what `of` says of each. */
function grouped(items, of) {
  const groups = new Map();
  for (const item of items) {
    const key = of(item);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return groups;
}

/** What becomes of the spans of a load. */
function fatesOf(all) {
  const placed = { late: [], tooLate: [], twice: [], never: [] };
  for (const [index, items] of [...grouped(all, ({ span }) => span.traceId).values()].entries()) {
    if (index % PLAIN_EVERY === PLAIN_EVERY - 1) {
      const root = items.find(isRoot).span.spanId;
      for (const item of items) {
        if (isAgentic(item)) placed.never.push(item);
        else if (!isRoot(item)) item.span.parentSpanId = root;
      }
      continue;
    }
    const fate = FATES.find(({ every, from }) => index % every === from);
    const found = fate && items.find(fate.of);
    if (found !== undefined) placed[fate.place].push(found);
  }
  return placed;
}

/** One request of these spans, with the places of what changes from time to time. */
function templateOf(items, more) {
  const scopeSpans = [...grouped(items, ({ scope }) => scope.name).values()].map((own) => ({
    scope: own[0].scope,
    spans: own.map(({ span }) => span),
  }));
  const body = protobufOf({ resourceSpans: [{ resource: items[0].resource, scopeSpans }] });
  const traceAt = [];
  for (const id of new Set(items.map(({ span }) => span.traceId))) {
    const bytes = Buffer.from(id, "hex");
    for (let at = body.indexOf(bytes); at >= 0; at = body.indexOf(bytes, at + bytes.length)) traceAt.push(at);
  }
  if (traceAt.length !== items.length) throw new Error(`${traceAt.length} trace ids in ${items.length} spans`);
  const sessionAt = [...body.toString("latin1").matchAll(SESSION)].map(
    (found) => found.index + found[0].length - GENERATION.length,
  );
  return { ...more, body, traceAt, sessionAt, spans: items.length };
}

/** The bytes of a request, sent for the `generation`th time. */
function bytesOf({ body, traceAt, sessionAt }, generation) {
  const bytes = Buffer.from(body);
  const digits = generation.toString(16).padStart(GENERATION.length, "0");
  for (const at of traceAt) bytes.writeUInt32BE(generation, at + 16 - ID_BYTES);
  for (const at of sessionAt) bytes.write(digits, at, "latin1");
  return bytes;
}

/**
 * The requests that the mix is made of, written once: `main` in the order of sending, `late` and `tooLate` what comes after.
 * Each counts the traces that begin with it, and its spans that were sent before.
 *
 * @param {number} split into how many parts each is split by trace id, as a Collector does that routes; `part` says which
 */
export function mixTemplates(split = 1) {
  const { requests } = serveRequests(MEGABYTES);
  const all = requests.flatMap(itemsOf);
  const { late, tooLate, twice, never } = fatesOf(all);
  const elsewhere = new Set([...late, ...tooLate, ...never]);
  const again = twice.map((item) => ({
    ...item,
    request: Math.min(item.request + 1, requests.length - 1),
    again: true,
  }));
  const partOf = ({ span }) => Number.parseInt(span.traceId.slice(0, 8), 16) % split;
  const begun = new Set();
  const templates = (items, kind) =>
    [...grouped(items, partOf)].map(([part, own]) => {
      const traces = new Set(own.map(({ span }) => span.traceId).filter((id) => !begun.has(id)));
      for (const id of traces) begun.add(id);
      return templateOf(own, { part, kind, traces: traces.size, twice: own.filter((item) => item.again).length });
    });
  const ordinary = [...all.filter((item) => !elsewhere.has(item)), ...again];
  const byRequest = grouped(ordinary, ({ request }) => request);
  return {
    main: requests.flatMap((_, request) => templates(byRequest.get(request), "main")),
    late: templates(late, "late"),
    tooLate: templates(tooLate, "tooLate"),
  };
}

/** The mix, as an endless row of requests, each of ids that nothing had before. */
export class Mix {
  /** Of what has been handed out so far. */
  sent = { spans: 0, traces: 0, late: 0, tooLate: 0, twice: 0 };
  #main;
  #delayed;
  #place = 0;
  #generation = 1;

  /**
   * @param {ReturnType<typeof mixTemplates>} templates
   * @param {{ lateMillis: number, tooLateMillis: number }} delays how long after the rest of their traces spans come that
   *   are late, and too late to be taken
   */
  constructor({ main, late, tooLate }, { lateMillis, tooLateMillis }) {
    this.#main = main;
    this.#delayed = [
      { templates: late, millis: lateMillis, queue: [] },
      { templates: tooLate, millis: tooLateMillis, queue: [] },
    ];
  }

  /** The next request: what is due of what was delayed, else the next of the rest. */
  next() {
    const now = performance.now();
    for (const { queue } of this.#delayed) if (queue[0]?.due <= now) return this.#hand(queue.shift());
    const next = { template: this.#main[this.#place], generation: this.#generation };
    this.#place += 1;
    if (this.#place === this.#main.length) {
      for (const { templates, millis, queue } of this.#delayed)
        for (const template of templates) queue.push({ template, generation: this.#generation, due: now + millis });
      this.#place = 0;
      this.#generation += 1;
    }
    return this.#hand(next);
  }

  #hand({ template, generation }) {
    const { kind, spans, traces, twice } = template;
    this.sent.spans += spans;
    this.sent.traces += traces;
    this.sent.twice += twice;
    if (kind !== "main") this.sent[kind] += spans;
    return { body: bytesOf(template, generation), spans };
  }
}
