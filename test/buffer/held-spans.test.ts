import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../src/align/sliced.ts";
import { HeldSpans, isPlain } from "../../src/buffer/held-spans.ts";
import type { HeldSpan } from "../../src/model/held-span.ts";
import { PACKED_BYTES } from "../../src/model/packed-spans.ts";
import type { SpanFacts } from "../../src/model/span.ts";
import { plainFacts } from "../support/facts.ts";

const HEX = "00000000000000";
const RESOURCES = [{ "service.name": "a" }, { "service.name": "b" }];

/** Spans of few names, scopes and sessions, most of them plain; ids and numbers are mostly those that SDKs make. */
const span = fc.record({
  id: fc.integer({ min: 0, max: 255 }),
  parent: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 255 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  leaf: fc.boolean(),
  odd: fc.oneof(
    { weight: 40, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Partial<SpanFacts>>(
        { span_id: "an id of its own" },
        { span_id: "ABCDEF0123456789" },
        { span_id: "0123456789abcde\u0661" },
        { parent_id: "short" },
        { remote_parent: true },
        { start_n: -1 },
        { end_n: 0.5 },
        { trace_flags: 256 },
        { convention: "unreadable" },
        { session_end: true },
        { egress: "allowed" },
        { attributes: { a: 1 } },
        { annotation: { span_id: "x" } },
        { carried: undefined, failure: { of: "parent", name: "search" } },
      ),
    },
  ),
  name: fc.constantFrom("GET", "POST", "middleware", "query"),
  scope: fc.constantFrom("http", "express"),
  resource: fc.constantFrom(...RESOURCES),
  session: fc.constantFrom(undefined, undefined, { rank: 0, value: "s1" }, { rank: 1, value: "s1" }),
});

const idOf = (number: number): string => HEX + number.toString(16).padStart(2, "0");

interface Given {
  readonly id: number;
  readonly parent: number | undefined;
  readonly odd: Partial<SpanFacts>;
  readonly name: string;
  readonly scope: string;
  readonly resource: object;
  readonly session: SpanFacts["session"];
}

function factsOf(given: Given, seq: number): SpanFacts {
  return plainFacts({
    trace_id: "t",
    span_id: idOf(given.id),
    parent_id: given.parent === undefined ? "" : idOf(given.parent),
    trace_flags: 1,
    name: given.name,
    start_s: 1_800_000_000,
    start_n: 5 * seq,
    end_s: 1_800_000_001,
    end_n: 7 * seq,
    scope_name: given.scope,
    scope_version: "1",
    seq,
    resource: given.resource as SpanFacts["resource"],
    session: given.session,
    ...given.odd,
  });
}

const MEMBERS = Object.keys(plainFacts({ trace_id: "", span_id: "" })) as (keyof SpanFacts)[];

/** What is read of it, member by member; some are the class's. */
const withoutBytes = (facts: SpanFacts): unknown =>
  [...MEMBERS, "failure" as const, "carried" as const]
    .filter((member) => member !== "bytes")
    .map((member) => [member, facts[member]]);

describe("the held spans of a trace are those of a plain list", () => {
  test("whatever they say, in the order in which they ended", () => {
    let packed = 0;
    fc.assert(
      fc.property(fc.array(span, { maxLength: 150, size: "max" }), fc.integer({ min: 1, max: 40 }), (given, every) => {
        const model = given.map(factsOf);
        const held = new HeldSpans();
        let bytes = 0;
        let naive = 0;
        for (const [seq, facts] of model.entries()) {
          const isLeaf = given[seq]?.leaf === true && isPlain(facts) && facts.session === undefined;
          bytes += (isLeaf ? held.pushLeaf(facts, seq, 1_000) : undefined) ?? held.push(facts);
          naive += facts.bytes;
        }
        if (bytes < naive) packed += 1;
        expect(held.length).toBe(model.length);
        expect(held.hasRoot).toBe(model.some((facts) => facts.parent_id === "" || facts.remote_parent));
        const ids: string[] = [];
        held.forEachId((id, parent) => ids.push(`${id} < ${parent}`));
        expect(ids.sort()).toEqual(model.map((facts) => `${facts.span_id} < ${facts.parent_id}`).sort());
        const read = finish(held.read((one: HeldSpan) => one as SpanFacts, every));
        expect(read.map(withoutBytes)).toEqual(model.map(withoutBytes));
        // Its tables go on to others, and are not its own any more.
        held.clear();
        expect([held.length, held.hasRoot]).toEqual([0, false]);
      }),
      { seed: 42, numRuns: 300 },
    );
    expect(packed).toBeGreaterThan(50);
  });

  test("what is pushed while they are read is read as well, packed in between or not", () => {
    const plain = (seq: number): SpanFacts =>
      factsOf({ id: seq, parent: 0, odd: {}, name: "n", scope: "s", resource: {}, session: undefined }, seq);
    const held = new HeldSpans();
    for (let seq = 0; seq < 20; seq += 1) held.push(plain(seq));
    const reading = held.read((one: HeldSpan) => one as SpanFacts, 10);
    expect(reading.next().done).toBe(false);
    // Twelve more pack the twenty that are being read.
    for (let seq = 20; seq < 70; seq += 1) held.push(plain(seq));
    const read = finish(reading);
    expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: 70 }, (_, seq) => seq));
    expect([read[9]?.bytes, read[31]?.bytes, read[64]?.bytes]).toEqual([100, PACKED_BYTES, PACKED_BYTES]);
  });

  test("an id that came twice is known by the span that ended first, packed or not", () => {
    const held = new HeldSpans();
    const twice = { id: 1, parent: 0, odd: {}, name: "first", scope: "s", resource: {}, session: undefined };
    held.push(factsOf(twice, 0));
    held.push({ ...factsOf({ ...twice, name: "second" }, 1), convention: "unreadable" });
    for (let seq = 2; seq < 40; seq += 1) held.push(factsOf({ ...twice, id: seq }, seq));
    const read = finish(held.read((one: HeldSpan) => one as SpanFacts, 100));
    expect(read.slice(0, 2).map(({ name }) => name)).toEqual(["first", "second"]);
  });
});
