import { expect, test } from "vitest";
import { GoneTraces } from "../../src/buffer/gone-traces.ts";
import { TraceEntry } from "../../src/buffer/trace-entry.ts";
import { plainFacts } from "../support/facts.ts";

/** A trace of which no start was seen, with spans as `id<parent`. */
function trace(id: string, ...spans: string[]): TraceEntry {
  const entry = new TraceEntry(id, "first", 0, 0);
  for (const each of spans) {
    const [span_id = "", parent_id = ""] = each.split("<");
    entry.spans.push(plainFacts({ trace_id: id, span_id, parent_id }));
  }
  return entry;
}

test("remembers at least half of its capacity and forgets the oldest half at a time", () => {
  const gone = new GoneTraces(4);
  for (const id of ["a", "b", "c", "d"]) gone.add(trace(id));
  for (const id of ["a", "b", "c", "d"]) expect(gone.isLate(id, "x", "parent", false)).toBe(true);
  gone.add(trace("e"));
  expect(gone.isLate("a", "x", "parent", false)).toBe(false);
  for (const id of ["c", "d", "e"]) expect(gone.isLate(id, "x", "parent", false)).toBe(true);
});

test("a root or a span with a remote parent starts anew, unless it is the one that was missing", () => {
  const gone = new GoneTraces(10);
  gone.add(trace("t", "tool<root", "other<tool"));
  expect(gone.isLate("t", "next", "", false)).toBe(false);
  expect(gone.isLate("t", "next", "elsewhere", true)).toBe(false);
  expect(gone.isLate("t", "root", "", false)).toBe(true);
  expect(gone.isLate("t", "root", "elsewhere", true)).toBe(true);
  expect(gone.isLate("t", "tool", "", false)).toBe(false);
});

test("the parent of a late span is late as well", () => {
  const gone = new GoneTraces(10);
  gone.add(trace("t", "tool<agent"));
  const agent = plainFacts({ trace_id: "t", span_id: "agent", parent_id: "gateway", remote_parent: true });
  expect(gone.isLate("t", "agent", "gateway", true)).toBe(true);
  expect(gone.isLate("t", "gateway", "", false)).toBe(false);
  gone.came(agent);
  expect(gone.isLate("t", "gateway", "", false)).toBe(true);
});

test("of a trace that is forgotten nothing is remembered, however many of its spans come", () => {
  const gone = new GoneTraces(4);
  gone.came(plainFacts({ trace_id: "unknown", span_id: "tool", parent_id: "root" }));
  expect(gone.isLate("unknown", "root", "", false)).toBe(false);
});

test("what one trace of an id was waiting for is not forgotten with the next one", () => {
  const gone = new GoneTraces(10);
  gone.add(trace("t", "tool<root"));
  gone.add(trace("t", "again<"));
  expect(gone.isLate("t", "root", "", false)).toBe(true);
});
