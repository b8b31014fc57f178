import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readArguments, readArgumentsUnlessSchema } from "../../src/conventions/arguments.ts";
import { contentKeeper } from "../../src/conventions/content.ts";
import { DEFAULT_CONVENTIONS } from "../../src/conventions/defaults.ts";
import { saysTools } from "../../src/conventions/finish-reason.ts";
import { decodeJson, scanTextMember, scanTextPath } from "../../src/conventions/json.ts";
import { SESSION_KEYS } from "../../src/conventions/session-keys.ts";
import type { SpanView } from "../../src/model/span.ts";
import { readOne } from "../support/read-one.ts";
import { FUZZ_TIMEOUT, fuzz, nasty, nastyJson } from "./fuzz.ts";
import { takeThrough } from "./spans.ts";

const MARKERS = DEFAULT_CONVENTIONS.flatMap(({ markers, markerPrefixes = [] }) => [
  ...markers,
  ...markerPrefixes.map((prefix) => `${prefix}0.x`),
]);
const KEYS = [
  ...new Set([
    ...MARKERS,
    ...SESSION_KEYS,
    "aip.expected_steps",
    "aip.egress",
    "error.type",
    "input",
    "output",
    "name",
  ]),
];
const SCOPES = ["", ...DEFAULT_CONVENTIONS.flatMap(({ scopes = [] }) => scopes)];
const NAMES = ["x", ...DEFAULT_CONVENTIONS.flatMap(({ spanNames = [] }) => spanNames), "chat gpt", "execute_tool x"];
/** Words that rules look for: without them most spans are none. */
const WORDS = [
  "TOOL",
  "AGENT",
  "LLM",
  "tool",
  "agent",
  "chat",
  "execute_tool",
  "invoke_agent",
  "generation",
  "tools/call",
  "ai.toolCall",
  "llm",
];
const CALLS = [
  '[{"role":"assistant","parts":[{"type":"tool_call","id":"1","name":"search","arguments":{"q":"x"}}],"finish_reason":"tool_call"}]',
  '[{"id":"1","function":{"name":"search","arguments":"{\\"q\\":1}"}}]',
  '{"tool_calls":[{"name":"search","args":{}}]}',
];

const value = fc.oneof(
  { arbitrary: fc.constantFrom<unknown>(...WORDS), weight: 3 },
  { arbitrary: fc.constantFrom<unknown>(...CALLS, ...CALLS.map((text) => JSON.parse(text) as unknown)), weight: 2 },
  { arbitrary: nasty, weight: 3 },
);
const attributes = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), value), { maxLength: 12 })
  .map((pairs) => Object.fromEntries(pairs));
const view = fc.record({
  attributes,
  scope: fc.constantFrom(...SCOPES),
  name: fc.constantFrom(...NAMES),
  events: fc.array(fc.record({ name: fc.constantFrom(...KEYS, "exception", "gen_ai.choice"), attributes }), {
    maxLength: 2,
  }),
});

test("there are the keys of all conventions", () => expect(KEYS.length).toBeGreaterThan(100));

test("spans with any value under any known key are read, by every convention, without an error", {
  timeout: FUZZ_TIMEOUT,
}, async () => {
  await fuzz(fc.array(view, { minLength: 1, maxLength: 4 }), 150, (sketches) => {
    const views = sketches.map(
      (sketch, index): SpanView => ({
        trace_id: "t",
        span_id: `s${index}`,
        parent_id: index === 0 ? "" : "s0",
        remote_parent: false,
        trace_flags: 1,
        name: sketch.name,
        span_kind: "INTERNAL",
        start_s: 1,
        start_n: index,
        end_s: 2,
        end_n: index,
        status: "UNSET",
        attributes: sketch.attributes,
        events: sketch.events,
        scope_name: sketch.scope,
        scope_version: "",
        resource: {},
      }),
    );
    takeThrough(views);
  });
});

describe("readers of content", () => {
  test("take anything", { timeout: FUZZ_TIMEOUT }, async () => {
    const keep = contentKeeper(1_000);
    await fuzz(nasty, 500, (given) => {
      // Hooks copy content before anybody reads it.
      const kept = keep(given)?.value;
      for (const read of [readArguments, readArgumentsUnlessSchema])
        expect(["ok", "absent", "unparsed"]).toContain(read(kept).status);
      decodeJson(kept);
    });
  });

  test("find what JSON.parse finds, and nothing else", { timeout: FUZZ_TIMEOUT }, async () => {
    const key = fc.constantFrom("a", "b", 'q"', "\\", "__proto__");
    const text = fc.string({ unit: "binary", maxLength: 8 });
    const flat = fc.dictionary(key, fc.oneof(text, fc.integer(), fc.constantFrom(null, true)), {
      noNullPrototype: false,
    });
    await fuzz(fc.tuple(flat, key, fc.constantFrom(0, 2)), 500, ([object, name, space]) => {
      const found = Object.hasOwn(object, name) ? object[name] : undefined;
      const wanted = typeof found === "string" ? found : undefined;
      const json = JSON.stringify(object, null, space);
      // Keys with escapes are not looked for: no session id has one.
      if (JSON.stringify(name) === `"${name}"`) {
        expect(scanTextMember(json, name)).toBe(wanted);
        expect(scanTextPath(json, [name])).toBe(wanted);
        expect(scanTextPath(JSON.stringify({ o: object }, null, space), ["o", name])).toBe(wanted);
      }
    });
  });

  test("any text ends the search", { timeout: FUZZ_TIMEOUT }, async () => {
    await fuzz(nastyJson, 500, (given) => {
      const text =
        typeof given === "string"
          ? given
          : (JSON.stringify(given ?? null, (_key, one: unknown) => (Array.isArray(one) ? one.slice(0, 0) : one)) ?? "");
      for (const name of ["a", "session_id"]) {
        scanTextMember(text, name);
        scanTextPath(text, [name, name]);
      }
    });
  });
});

test("found by fuzzing: a finish reason that cannot be read leaves the rest of the span readable", () => {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  const attributes = { "aip.span.kind": "LLM", "anthropic.message.stop_reason": proxy };
  expect(readOne({ attributes }).kind).toBe("LLM");
  expect(saysTools(proxy)).toBe(false);
});
