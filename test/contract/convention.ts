import { expect, test } from "vitest";
import { contentKeeper } from "../../src/conventions/content.ts";
import { type Convention, PRECEDENCE } from "../../src/conventions/convention.ts";
import { MarkerTable } from "../../src/conventions/marker-table.ts";
import type { SpanView } from "../../src/model/span.ts";
import { viewOf } from "../support/spans.ts";

/** Keys that spans of no kind carry all the time; as markers they would make every span expensive. */
const COMMON_KEYS = [
  ...["http.request.method", "http.route", "url.full", "server.address", "server.port", "db.system.name"],
  ...["db.query.text", "rpc.system", "messaging.system", "error.type", "exception.type", "session.id", "user.id"],
];

const VERDICTS: readonly unknown[] = ["TOOL", "AGENT", "LLM", "NONE", undefined];

/** Values that no instrumentation writes and any application may. */
const HOSTILE_VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["empty text", ""],
  ["text", "x"],
  ["a brace", "{"],
  ["deep JSON", '{"a":'.repeat(5_000)],
  ["polluting JSON", '{"__proto__":{"polluted":1}}'],
  ["zero", 0],
  ["NaN", Number.NaN],
  ["bigint", 1n],
  ["true", true],
  ["symbol", Symbol("s")],
  ["function", () => "x"],
  ["list", [null, 1, "x", {}]],
  ["object", { name: {}, toString: null }],
  ["an object that throws when converted", { valueOf: throws, toString: throws, toJSON: throws }],
  ["a revoked proxy", revoked()],
];

/** What every convention must hold to. `samples` are views of real spans. */
export function conventionContract(convention: Convention, samples: readonly SpanView[]): void {
  test("names what it looks for", () => {
    expect(convention.name).toMatch(/^[a-z][a-z0-9-]*$/);
    const entries = [...convention.markers, ...(convention.scopes ?? []), ...(convention.spanNames ?? [])];
    expect(entries.length).toBeGreaterThan(0);
    expect(new Set(convention.markers).size).toBe(convention.markers.length);
    for (const prefix of convention.markerPrefixes ?? []) expect(prefix.length).toBeGreaterThan(3);
  });

  test("asks for no key that ordinary spans carry", () => {
    expect(convention.markers.filter((key) => COMMON_KEYS.includes(key))).toEqual([]);
  });

  test("has rules of known precedence", () => {
    const known: readonly number[] = Object.values(PRECEDENCE);
    expect(convention.rules.length).toBeGreaterThan(0);
    for (const rule of convention.rules) expect(known).toContain(rule.precedence);
  });

  test("has no opinion on a span without attributes and a neutral name", () => {
    for (const rule of convention.rules) expect(rule.decide(viewOf({ id: "s", name: "GET /users" }))).toBeUndefined();
  });

  test("has no opinion on real spans that carry none of what it looks for", () => {
    // Conventions may share a place in the table of markers; then they are asked about spans of others.
    const table = new MarkerTable([convention], []);
    const others = samples.filter((sample) => table.scan(sample, () => undefined).bits === 0);
    for (const other of others) {
      for (const rule of convention.rules) expect(rule.decide(other)).toBeUndefined();
      expect(convention.nameless?.(other) ?? false).toBe(false);
    }
    // Every convention but the one that most spans follow leaves some alone.
    expect(others.length).toBeGreaterThan(20);
  });

  test.each(HOSTILE_VALUES)("takes every attribute being %s", (_, value) => {
    const keys = [
      ...convention.markers,
      "metadata",
      "input.value",
      "output.value",
      "tool.parameters",
      "index",
      "message",
    ];
    const attributes = Object.fromEntries([...keys, ...mentionedKeys(convention, samples)].map((key) => [key, value]));
    ask(convention, viewOf({ id: "s", attributes, events: eventsOf(attributes) }));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("takes getters that throw, and events that are none", () => {
    const attributes = {};
    for (const key of convention.markers) Object.defineProperty(attributes, key, { enumerable: true, get: throws });
    const events = [undefined, null, {}, { name: "gen_ai.choice", attributes: 5 }] as unknown as SpanView["events"];
    ask(convention, viewOf({ id: "s", attributes, events }));
  });

  test("reads real spans the same way twice, and leaves them as they are", () => {
    expect(samples.length).toBeGreaterThan(500);
    for (const sample of samples) {
      const before = JSON.stringify(sample);
      const first = ask(convention, sample);
      expect(ask(convention, sample)).toEqual(first);
      expect(JSON.stringify(sample)).toBe(before);
    }
  });
}

/** Asks a convention everything; returns what it says, content parsed. */
function ask(convention: Convention, view: SpanView): unknown {
  const keep = contentKeeper(65_536);
  const verdicts = convention.rules.map((rule) => rule.decide(view));
  for (const verdict of verdicts) expect(VERDICTS).toContain(verdict);
  const tool = convention.tool?.(view, keep);
  const { readArgs } = tool ?? {};
  return {
    verdicts,
    tool: tool === undefined ? undefined : [tool.name, tool.callId, tool.args?.cut],
    args: tool?.args === undefined ? undefined : readArgs?.(tool.args.value),
    agent: convention.agent?.(view),
    nameless: convention.nameless?.(view),
    outputs: convention.outputs?.(view, keep).map((source) => source.read()),
    finish: typeof convention.finishReason?.(view),
    tokens: typeof convention.outputTokens?.(view),
    failed: (["TOOL", "AGENT", "LLM"] as const).map((kind) => convention.failed?.(view, kind)),
    failure: convention.failureReport?.(view),
    carried: convention.carriedOutputs?.(view, keep).map((source) => source.read()),
  };
}

/** Every key of real spans, so that hostile values reach the keys that are no markers too. */
function mentionedKeys(convention: Convention, samples: readonly SpanView[]): readonly string[] {
  const keys = new Set<string>();
  for (const sample of samples.slice(0, 500)) for (const key of Object.keys(sample.attributes)) keys.add(key);
  for (const prefix of convention.markerPrefixes ?? []) {
    for (const rest of ["0.message.tool_calls.0.tool_call.function.name", "0.tool_calls.0.name", "x..y"])
      keys.add(prefix + rest);
  }
  return [...keys];
}

function eventsOf(attributes: SpanView["attributes"]): SpanView["events"] {
  const names = ["gen_ai.choice", "gen_ai.tool.message", "gen_ai.client.inference.operation.details", "exception"];
  return names.map((name) => ({ name, attributes }));
}

function throws(): never {
  throw new Error("hostile");
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
