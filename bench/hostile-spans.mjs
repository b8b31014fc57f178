// Spans as no SDK makes them and some host one day will: whatever a hook is handed.
import { randomFrom } from "./random.mjs";

const MEGABYTE = "x".repeat(1024 * 1024);
const LONE = "\ud800 \udc00 \ud83d";
const KEYS = [
  "gen_ai.operation.name",
  "gen_ai.tool.name",
  "gen_ai.agent.name",
  "gen_ai.tool.call.id",
  "gen_ai.tool.call.arguments",
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.response.finish_reasons",
  "gen_ai.conversation.id",
  "gen_ai.completion.0.tool_calls.0.name",
  "openinference.span.kind",
  "input.value",
  "output.value",
  "llm.output_messages.0.message.tool_calls.0.tool_call.function.name",
  "metadata",
  "traceloop.span.kind",
  "traceloop.entity.name",
  "traceloop.entity.output",
  "ai.operationId",
  "ai.toolCall.name",
  "ai.toolCall.args",
  "ai.response.toolCalls",
  "langfuse.observation.type",
  "mcp.method.name",
  "session.id",
  "aip.span.kind",
  "aip.agent.name",
  "aip.tool.name",
  "aip.expected_steps",
  "aip.expected_calls",
  "aip.expected_unit",
  "aip.expectation.id",
  "aip.egress",
  "aip.session.end",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "",
  LONE,
  `${MEGABYTE}.key`,
  "http.request.method",
];
const WORDS = [
  "execute_tool",
  "invoke_agent",
  "chat",
  "TOOL",
  "AGENT",
  "LLM",
  "tool",
  "agent",
  "search",
  "true",
  "stop",
];

function refuse() {
  throw new Error("a hostile getter");
}

const throwing = new Proxy(
  {},
  Object.fromEntries(
    [
      "get",
      "has",
      "ownKeys",
      "getOwnPropertyDescriptor",
      "set",
      "defineProperty",
      "getPrototypeOf",
      "isExtensible",
    ].map((trap) => [trap, refuse]),
  ),
);
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const cyclic = { name: "search" };
cyclic.self = cyclic;
let deep = "end";
for (let depth = 0; depth < 5_000; depth += 1) deep = { arguments: [deep] };
const holes = [];
holes[500] = "far";
const withGetter = Object.defineProperty({ a: 1 }, "b", { enumerable: true, get: refuse });
const withProto = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');

/** Everything that may stand where a value is expected. */
const VALUES = [
  null,
  undefined,
  true,
  0,
  -0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -1,
  2 ** 60,
  10n ** 40n,
  Symbol("s"),
  Symbol.iterator,
  "",
  LONE,
  MEGABYTE,
  `"${MEGABYTE}"`,
  "[".repeat(20_000),
  "[".repeat(20_000) + "]".repeat(20_000),
  `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  '[{"role":"assistant","parts":[{"type":"tool_call","name":"search","arguments":{"__proto__":1}}]}]',
  '[{"role":"assistant","parts":[{"type":"tool_call","name":',
  '{"__proto__":{"polluted":true}}',
  `[${'{"type":"tool_call","name":"x","arguments":{}},'.repeat(1_000)}1]`,
  () => "called",
  new Date(Number.NaN),
  new Map([[cyclic, cyclic]]),
  new Uint8Array(100_000),
  /./g,
  new Error("e"),
  Promise.resolve(1),
  Object.create(null),
  Object.freeze({ name: "search" }),
  Object.freeze(["search", Object.freeze([])]),
  holes,
  [null, undefined, 1n, Symbol("in a list"), LONE],
  [[[["search"]]]],
  Array(5_000).fill("search"),
  cyclic,
  deep,
  throwing,
  revoked,
  withGetter,
  withProto,
  { toJSON: refuse },
  { toString: refuse, valueOf: refuse },
  Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key.${index}`, index])),
];

const IDS = [
  "",
  "__proto__",
  "constructor",
  MEGABYTE,
  LONE,
  null,
  undefined,
  7,
  7n,
  {},
  throwing,
  "0".repeat(16),
  "0".repeat(32),
];
const TIMES = [
  [0, 0],
  [-1, -1],
  [Number.NaN, Number.NaN],
  [Number.POSITIVE_INFINITY, 0],
  [1e15, 999_999_999],
  ["1", "2"],
  [],
  null,
  undefined,
  "now",
  throwing,
];

/**
 * A generator of hostile spans: the same seed gives the same spans. Each call gives one span, the hooks that are called
 * with it, in order, and what is wrong with it. Traces are made of spans of no trace but this generator's.
 */
export function hostileSpans(seed, rootContext) {
  const random = randomFrom(seed);
  const below = (limit) => Math.floor(random() * limit);
  const from = (list) => list[below(list.length)];
  const chance = (share) => random() < share;
  let made = 0;
  let clock = 1_700_000_000;
  /** Ids that are used again and again: traces and spans collide, and parents form rings. */
  const traceIds = Array.from({ length: 40 }, (_, index) => `bad${String(index).padStart(29, "0")}`);
  const spanIds = Array.from({ length: 30 }, (_, index) => `bad${String(index).padStart(13, "0")}`);
  const recent = [];

  const id = (pool, width) => {
    made += 1;
    if (chance(0.03)) return from(IDS);
    return chance(0.5) ? from(pool) : `bad${made.toString(16).padStart(width - 3, "0")}`;
  };
  const time = () => {
    if (chance(0.05)) return from(TIMES);
    // Backwards as often as forwards.
    clock += below(2_000) - 1_000;
    return [clock, below(1_000_000_000)];
  };
  const attributes = () => {
    if (chance(0.02)) return from([null, undefined, "text", 7, throwing, revoked, withGetter, [], () => undefined]);
    const made = chance(0.1) ? Object.create(null) : {};
    const count = chance(0.01) ? 300 : below(8);
    for (let index = 0; index < count; index += 1) {
      const key = index > 40 ? `key.${index}` : from(KEYS);
      const value = chance(0.5) ? from(WORDS) : from(VALUES);
      if (chance(0.02)) Object.defineProperty(made, key, { enumerable: true, configurable: true, get: refuse });
      else Object.defineProperty(made, key, { enumerable: true, configurable: true, writable: true, value });
    }
    return chance(0.1) ? Object.freeze(made) : made;
  };
  const events = () => {
    if (chance(0.9)) return [];
    return from([
      null,
      "text",
      holes,
      [null],
      [{}],
      [{ name: 7, attributes: throwing }],
      Array(500).fill({ name: LONE }),
      [throwing],
    ]);
  };
  const contextOf = (traceId) => ({ traceId, spanId: id(spanIds, 16), traceFlags: from([0, 1, undefined, "1"]) });

  function span(traceId) {
    const own = contextOf(traceId);
    const parent = from([
      undefined,
      null,
      own,
      contextOf(traceId),
      contextOf(traceId),
      { ...contextOf(traceId), isRemote: true },
      throwing,
    ]);
    const spoiled = chance(0.9)
      ? ""
      : from([
          "spanContext",
          "name",
          "attributes",
          "startTime",
          "endTime",
          "status",
          "events",
          "resource",
          "instrumentationScope",
          "parentSpanContext",
        ]);
    const made = {
      name: chance(0.9)
        ? from(["execute_tool search", "invoke_agent x", "chat", "GET"])
        : from(["", LONE, MEGABYTE, null, 7, throwing]),
      kind: from([0, 1, 2, 3, 4, 99, "1", null]),
      spanContext: () => own,
      parentSpanContext: parent,
      startTime: time(),
      endTime: time(),
      status: from([{ code: 0 }, { code: 2 }, { code: "x" }, null, undefined, throwing]),
      attributes: attributes(),
      events: events(),
      resource: from([{ attributes: {} }, { attributes: attributes() }, null, undefined, throwing]),
      instrumentationScope: from([
        { name: "host" },
        { name: "host" },
        { name: LONE },
        { name: 7 },
        {},
        null,
        undefined,
        throwing,
      ]),
      setAttribute: chance(0.1) ? refuse : () => undefined,
    };
    if (spoiled !== "") Object.defineProperty(made, spoiled, { get: refuse, enumerable: true });
    if (chance(0.02)) return from([throwing, revoked, null, undefined, 7, "span", {}]);
    return chance(0.1) ? Object.freeze(made) : made;
  }

  return () => {
    const traceId = id(traceIds, 32);
    // Some spans come again: started twice, ended twice, ended long after.
    const again = recent.length > 0 && chance(0.1);
    const made = again ? from(recent) : span(traceId);
    if (!again && recent.length < 100) recent.push(made);
    else if (!again) recent[below(100)] = made;
    const context = chance(0.05)
      ? from([throwing, null, { getValue: refuse }])
      : parentIn(chance(0.3) ? from(recent) : undefined);
    const calls = from([
      ["onStart", "onEnding", "onEnd"],
      ["onStart", "onEnding", "onEnd"],
      ["onStart", "onEnd"],
      ["onEnd"],
      ["onStart"],
      ["onEnding", "onEnd", "onEnd"],
      ["onStart", "onStart", "onEnding", "onEnding", "onEnd", "onEnd"],
    ]);
    return { what: describe(made), calls, span: made, context };
  };

  /** A context with an active span, as the API keeps it. */
  function parentIn(active) {
    if (active === undefined) return rootContext;
    return { getValue: () => active, setValue: () => rootContext, deleteValue: () => rootContext };
  }
}

function describe(span) {
  if (typeof span !== "object" || span === null) return typeof span;
  try {
    const { attributes } = span;
    const keys = Object.keys(attributes ?? {}).map((key) => key.slice(0, 30));
    return `${String(span.name).slice(0, 20)} {${keys.slice(0, 6).join(", ")}${keys.length > 6 ? ", …" : ""}}`;
  } catch {
    return "what cannot be read";
  }
}
