import { describe, expect, test } from "vitest";
import { DEFAULT_CONVENTIONS } from "../../src/conventions/defaults.ts";
import { createSpanReader } from "../../src/conventions/read-span.ts";
import { LiveSpanView } from "../../src/model/held-span.ts";
import type { AttributeMap, SpanFacts, SpanView } from "../../src/model/span.ts";
import { viewOfReadableSpan } from "../../src/wire/from-readable-span.ts";
import { captures, captureText } from "../support/captures.ts";
import { viewsOfOtlp } from "../support/read-traces.ts";
import { liveSpan } from "../support/replay.ts";
import { viewOf } from "../support/spans.ts";
import { acme } from "./acme.ts";

const live = (view: SpanView): SpanView => viewOfReadableSpan(liveSpan(view) as never);

/** Facts with what their functions give in the functions' place. */
function spelled(facts: SpanFacts): unknown {
  const { facts: kind, carried, bytes, ...rest } = { ...facts, ...named(facts) };
  const args = kind?.args;
  return {
    ...rest,
    carried: carried?.(),
    kind_facts: kind === undefined ? undefined : { ...kind, readArgs: undefined, readOutput: undefined },
    args: args === undefined || args.cut ? args?.cut : kind?.readArgs?.(args.value),
    output: kind?.readOutput?.(),
  };
}

/** Members that a class has by getters. */
function named(facts: SpanFacts): Pick<SpanFacts, "kind" | "facts" | "convention" | "session" | "bytes"> {
  const { kind, facts: own, convention, session, bytes } = facts;
  const { annotation, egress, session_end, attributes } = facts;
  return { kind, facts: own, convention, session, bytes, ...{ annotation, egress, session_end, attributes } };
}

/** Content made so long that it is held only where somebody says that it is read; trailing spaces change no meaning. */
function lengthened(attributes: AttributeMap): AttributeMap {
  const longer = (value: unknown): unknown =>
    typeof value === "string" && (/^\s*[[{]/.test(value) || (value.length > 64 && value.includes(" ")))
      ? value + " ".repeat(1_100)
      : value;
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, longer(value)]));
}

describe("a span that is held and read later gives what it gives at once", () => {
  const reader = createSpanReader();
  let lengthenedValues = 0;

  test.each(captures().map((capture) => [capture.file, capture] as const))("%s", (_, capture) => {
    for (const given of viewsOfOtlp(captureText(capture))) {
      const attributes = lengthened(given.attributes);
      for (const key of Object.keys(attributes)) if (attributes[key] !== given.attributes[key]) lengthenedValues += 1;
      const view = {
        ...given,
        attributes,
        events: given.events.map((event) => ({ ...event, attributes: lengthened(event.attributes ?? {}) })),
      };
      const held = reader.hold(live(view), 7, view.parent_id === "");
      expect(spelled(reader.factsOf(held))).toEqual(spelled(reader.read(view, 7, view.parent_id === "")));
    }
  });

  test("there was something to lengthen", () => {
    expect(lengthenedValues).toBeGreaterThan(3_000);
  });
});

describe("what is held", () => {
  const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" };
  const viewWith = (attributes: AttributeMap): SpanView => live(viewOf({ id: "s", attributes }));

  test("nothing of the span itself: what is written to it later does not show", () => {
    const span = liveSpan(viewOf({ id: "s", attributes: { ...tool, list: ["a"] } })) as {
      attributes: Record<string, unknown>;
    };
    const reader = createSpanReader();
    const held = reader.hold(viewOfReadableSpan(span as never), 0);
    expect(held).toBeInstanceOf(LiveSpanView);
    span.attributes["gen_ai.tool.name"] = "[masked]";
    (span.attributes.list as string[]).push("b");
    span.attributes["aip.expected_tools"] = '["x"]';
    expect((held as unknown as SpanView).attributes).toEqual({ ...tool, list: ["a"] });
    expect(reader.factsOf(held).facts?.name).toBe("search");
  });

  test("no long value that nobody reads, but that it was there", () => {
    const reader = createSpanReader();
    const long = JSON.stringify([{ role: "user", parts: [{ type: "text", content: "x".repeat(60_000) }] }]);
    const model = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" };
    const without = reader.hold(viewWith(model), 0);
    const withInput = reader.hold(viewWith({ ...model, "gen_ai.input.messages": long, tools: [long] }), 0);
    expect(withInput.bytes - without.bytes).toBeLessThan(1_000);
    // The recorded result says that a call of the Vercel AI SDK succeeded; what it says is nobody's business.
    const call = { "ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", "ai.toolCall.result": long };
    const failed = { ...viewOf({ id: "s", attributes: call }), status: "ERROR" as const };
    expect(reader.factsOf(reader.hold(live(failed), 0)).facts?.failed).toBe(false);
  });

  test("a value beyond maxContentBytes as cut", () => {
    const reader = createSpanReader({ maxContentBytes: 2_000 });
    const args = { "gen_ai.tool.call.arguments": JSON.stringify({ q: "x".repeat(3_000) }) };
    expect(reader.factsOf(reader.hold(viewWith({ ...tool, ...args }), 0)).facts?.args).toEqual({
      value: undefined,
      cut: true,
    });
  });

  test("everything, where a convention does not say what it reads", () => {
    const { content, ...silent } = acme;
    expect(content).toEqual(["acme.args"]);
    const reader = createSpanReader({ conventions: [...DEFAULT_CONVENTIONS, silent] });
    const held = reader.hold(viewWith({ ...tool, anything: "x".repeat(5_000) }), 0) as unknown as SpanView;
    expect(held.attributes.anything).toHaveLength(5_000);
  });

  test("the span as it was read at once, where mapSpan says what spans are", () => {
    const reader = createSpanReader({ mapSpan: () => ({ kind: "TOOL", name: "mapped" }) });
    const held = reader.hold(viewWith({}), 0);
    expect(held).not.toBeInstanceOf(LiveSpanView);
    expect(reader.factsOf(held).facts?.name).toBe("mapped");
  });
});
