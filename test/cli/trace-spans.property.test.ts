import fc from "fast-check";
import { expect, test } from "vitest";
import { type HeldSpan, SpanSieve } from "../../src/cli/trace-spans.ts";
import { createSpanReader } from "../../src/conventions/read-span.ts";
import { PACKED_BYTES, PackedSpans } from "../../src/model/packed-spans.ts";
import type { SpanView } from "../../src/model/span.ts";
import { assembleTrace } from "../../src/trajectory/assemble.ts";

const TRACE = "1".repeat(32);
const RESOURCE = Object.freeze({ "service.name": "s" });
const idOf = (number: number): string => (number * 0x9e3779b97f4a7).toString(16).padStart(16, "0");

/** Few ids and times, so that rings, duplicates, missing parents and ties come up all the time. */
const span = fc.record({
  id: fc.integer({ min: 1, max: 12 }),
  parent: fc.integer({ min: 0, max: 14 }),
  start: fc.integer({ min: 0, max: 3 }),
  took: fc.constantFrom(1, 2_000_000),
  name: fc.constantFrom<string>("a", "b", "execute_tool a"),
  kind: fc.constantFrom("plain", "plain", "plain", "TOOL", "AGENT", "LLM"),
  scope: fc.constantFrom("x", "y"),
  remote: fc.boolean(),
  session: fc.constantFrom("", "", "s1", "s2"),
});

function viewOf(given: typeof span extends fc.Arbitrary<infer T> ? T : never): SpanView {
  const attributes = {
    ...(given.kind === "plain" ? {} : { "aip.span.kind": given.kind, "aip.tool.name": given.name }),
    ...(given.kind === "plain" || given.session === "" ? {} : { "session.id": given.session }),
  };
  return {
    trace_id: TRACE,
    span_id: idOf(given.id),
    parent_id: given.parent === 0 ? "" : idOf(given.parent),
    remote_parent: given.parent !== 0 && given.remote,
    trace_flags: 1,
    name: given.name,
    span_kind: "INTERNAL",
    start_s: 1_800_000_000,
    start_n: given.start,
    end_s: 1_800_000_000,
    end_n: given.start + given.took,
    status: "UNSET",
    attributes,
    events: [],
    scope_name: given.scope,
    scope_version: "1",
    resource: RESOURCE,
  };
}

test("a trace without its silent leaves is read as the whole trace is", () => {
  let dropped = 0;
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 14 }), (given) => {
      const reader = createSpanReader({ keepAttributes: "none" });
      const packed = new PackedSpans();
      const views = given.map(viewOf);
      const whole = views.map((view, seq) => reader.read(view, seq));
      const held: HeldSpan[] = views.map((view, seq) =>
        reader.look({ ...view, instrumentationScope: { name: view.scope_name } }) === 0
          ? packed.add(view, seq)
          : reader.read(view, seq),
      );
      const saying = new SpanSieve(packed).sift(held, TRACE);
      dropped += whole.length - saying.length;
      // Spans are counted, and the places of steps compared, within one trace only.
      const readingOf = (spans: typeof saying): unknown => {
        const { span_count, duplicate_count, steps, tools, ...rest } = assembleTrace(spans, { members: true });
        return {
          ...rest,
          steps: steps.map(({ place, ...step }) => step),
          tools: tools.map(({ place, ...tool }) => tool),
        };
      };
      expect(readingOf(saying)).toEqual(readingOf(whole));
    }),
    { numRuns: 1_000 },
  );
  expect(dropped).toBeGreaterThan(1_000);
});

test("what was packed comes out as it was", () => {
  const packed = new PackedSpans();
  const reader = createSpanReader({ keepAttributes: "none" });
  const ids = ["0000000000000001", "ffffffffffffffff", "8000000000000000", "00000000ffffffff"];
  const views = Array.from({ length: 3_000 }, (_, index) => ({
    ...viewOf({
      id: 1,
      parent: 0,
      start: 0,
      took: 1,
      name: `n${index % 7}`,
      kind: "plain",
      scope: "x",
      remote: false,
      session: "",
    }),
    span_id: ids[index % 4] as string,
    parent_id: index % 3 === 0 ? "" : (ids[(index + 1) % 4] as string),
    remote_parent: index % 3 === 1,
    trace_flags: index % 256,
    start_n: 999_999_999,
    end_s: 1_800_000_000 + index,
  }));
  const numbers = views.map((view, seq) => packed.add(view, seq * 2 ** 33));
  for (const [index, view] of views.entries()) {
    const whole = reader.read(view, index * 2 ** 33);
    expect(packed.facts(numbers[index] as number, TRACE)).toEqual({ ...whole, bytes: PACKED_BYTES });
  }
});
