import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BufferLimits, DEFAULT_LIMITS } from "../../src/buffer/limits.ts";
import { TraceBuffer } from "../../src/buffer/trace-buffer.ts";
import type { SpanFacts } from "../../src/model/span.ts";
import { plainFacts } from "../support/facts.ts";

const limits = (given: Partial<BufferLimits> = {}): BufferLimits => ({ ...DEFAULT_LIMITS, ...given });
const end = (buffer: TraceBuffer, trace: string, span: string, parent: string, now: number, remote = false): string =>
  buffer.end(plainFacts({ trace_id: trace, span_id: span, parent_id: parent, remote_parent: remote }), now);
const ready = (buffer: TraceBuffer): string[] =>
  buffer.takeReady().map((entry) => {
    buffer.release(entry);
    return `${entry.trace_id}:${entry.cause}`;
  });

describe("when a trace is finished", () => {
  test("every local root has ended and nothing is open: at once", () => {
    const buffer = new TraceBuffer(limits());
    buffer.start("t", "root", "", false, 0);
    buffer.start("t", "child", "root", false, 1);
    end(buffer, "t", "child", "root", 2);
    expect(ready(buffer)).toEqual([]);
    end(buffer, "t", "root", "", 3);
    expect(ready(buffer)).toEqual(["t:complete"]);
  });

  test("the roots have ended but a span is open: after lateSpanMillis, counted from the end of the last root", () => {
    const buffer = new TraceBuffer(limits());
    buffer.start("t", "root", "", false, 0);
    buffer.start("t", "child", "root", false, 1);
    end(buffer, "t", "root", "", 10);
    buffer.start("t", "grandchild", "child", false, 1_000);
    buffer.advance(2_009);
    expect(ready(buffer)).toEqual([]);
    buffer.advance(2_010);
    expect(ready(buffer)).toEqual(["t:late_spans"]);
  });

  test("a child that outlives the root and ends in time makes it complete", () => {
    const buffer = new TraceBuffer(limits());
    buffer.start("t", "root", "", false, 0);
    buffer.start("t", "child", "root", false, 1);
    end(buffer, "t", "root", "", 10);
    end(buffer, "t", "child", "root", 500);
    expect(ready(buffer)).toEqual(["t:complete"]);
  });

  test("a local root is open: it waits openIdleMillis after the last start or end", () => {
    const buffer = new TraceBuffer(limits());
    buffer.start("t", "root", "", false, 0);
    buffer.start("t", "child", "root", false, 100);
    end(buffer, "t", "child", "root", 200);
    buffer.advance(900_199);
    expect(ready(buffer)).toEqual([]);
    buffer.advance(900_200);
    expect(ready(buffer)).toEqual(["t:idle"]);
  });

  test("idleMillis is only for traces of which no start was seen", () => {
    const buffer = new TraceBuffer(limits());
    end(buffer, "t", "child", "root", 0);
    end(buffer, "t", "root", "", 10);
    buffer.advance(30_009);
    expect(ready(buffer)).toEqual([]);
    buffer.advance(30_010);
    expect(ready(buffer)).toEqual(["t:idle"]);
  });

  test("maxTraceMillis bounds all", () => {
    const buffer = new TraceBuffer(limits({ maxTraceMillis: 1_000 }));
    buffer.start("t", "root", "", false, 0);
    buffer.start("t", "child", "root", false, 999);
    buffer.advance(1_000);
    expect(ready(buffer)).toEqual(["t:age"]);
  });

  test("a span whose parent is not held is a local root too: all of them must end", () => {
    const buffer = new TraceBuffer(limits());
    buffer.start("t", "a", "elsewhere", false, 0);
    buffer.start("t", "b", "remote", true, 0);
    end(buffer, "t", "a", "elsewhere", 1);
    expect(ready(buffer)).toEqual([]);
    end(buffer, "t", "b", "remote", 2, true);
    expect(ready(buffer)).toEqual(["t:complete"]);
  });

  test("a new root before the finished trace is read: it was not finished after all", () => {
    const buffer = new TraceBuffer(limits());
    buffer.start("t", "a", "", false, 0);
    end(buffer, "t", "a", "", 1);
    buffer.start("t", "b", "", false, 1);
    expect(ready(buffer)).toEqual([]);
    end(buffer, "t", "b", "", 2);
    expect(ready(buffer)).toEqual(["t:complete"]);
  });

  test("a flush finishes what has lost its roots and leaves open traces alone", () => {
    const buffer = new TraceBuffer(limits());
    buffer.start("gone", "root", "", false, 0);
    buffer.start("gone", "child", "root", false, 0);
    end(buffer, "gone", "root", "", 1);
    buffer.start("open", "root", "", false, 0);
    end(buffer, "unstarted", "child", "root", 1);
    buffer.flush(2);
    expect(ready(buffer)).toEqual(["gone:flush"]);
    expect(buffer.openCount).toBe(2);
  });
});

describe("late spans", () => {
  const scored = (given: Partial<BufferLimits> = {}): TraceBuffer => {
    const buffer = new TraceBuffer(limits(given));
    buffer.start("t", "root", "", false, 0);
    buffer.start("t", "slow", "root", false, 0);
    end(buffer, "t", "root", "", 0);
    buffer.advance(2_000);
    expect(ready(buffer)).toEqual(["t:late_spans"]);
    return buffer;
  };

  test("they make the trace ready again once per lateSpanMillis of quiet", () => {
    const buffer = scored();
    expect(end(buffer, "t", "x", "root", 3_000)).toBe("held_late");
    expect(end(buffer, "t", "y", "root", 4_000)).toBe("held_late");
    buffer.advance(5_999);
    expect(ready(buffer)).toEqual([]);
    buffer.advance(6_000);
    expect(ready(buffer)).toEqual(["t:late_spans"]);
  });

  test("the window stays open as long as a span of the trace is", () => {
    const buffer = scored();
    buffer.advance(100_000);
    expect(buffer.takeClosed()).toEqual([]);
    expect(end(buffer, "t", "slow", "root", 100_000)).toBe("held_late");
    buffer.advance(102_000);
    expect(ready(buffer)).toEqual(["t:late_spans"]);
    expect(buffer.takeClosed().map((entry) => entry.trace_id)).toEqual(["t"]);
  });

  test("after the window a root starts a new unit, and other spans are only counted", () => {
    const buffer = new TraceBuffer(limits());
    buffer.start("t", "root", "", false, 0);
    end(buffer, "t", "root", "", 1);
    expect(ready(buffer)).toEqual(["t:complete"]);
    buffer.advance(30_001);
    expect(buffer.takeClosed()).toHaveLength(1);
    expect(end(buffer, "t", "child", "root", 40_000)).toBe("late");
    expect(buffer.start("t", "child2", "root", false, 40_000)).toBeUndefined();
    buffer.start("t", "again", "", false, 40_001);
    expect(end(buffer, "t", "again", "", 40_002)).toBe("held");
    const [entry] = buffer.takeReady();
    expect(entry?.first_span_id).toBe("again");
  });

  test("a span that was never started ends in the window: nothing else is waited for", () => {
    const buffer = new TraceBuffer(limits({ maxFinishedTraces: 0 }));
    buffer.start("t", "root", "", false, 0);
    end(buffer, "t", "root", "", 1);
    expect(ready(buffer)).toEqual(["t:complete"]);
    expect(buffer.takeClosed()).toHaveLength(1);
    expect(buffer.finishedCount).toBe(0);
  });
});

describe("bounds", () => {
  test("beyond maxTraces the longest idle trace is finished as evicted", () => {
    const buffer = new TraceBuffer(limits({ maxTraces: 2 }));
    buffer.start("a", "root", "", false, 0);
    buffer.start("b", "root", "", false, 1);
    buffer.start("a", "child", "root", false, 2);
    buffer.start("c", "root", "", false, 3);
    const [evicted, ...others] = buffer.takeReady();
    expect(others).toEqual([]);
    expect(evicted?.trace_id).toBe("b");
    expect([...(evicted?.reasons ?? [])]).toEqual(["evicted"]);
  });

  test("beyond maxSpansPerTrace spans are dropped, and the trace says so and still finishes", () => {
    const buffer = new TraceBuffer(limits({ maxSpansPerTrace: 1 }));
    buffer.start("t", "root", "", false, 0);
    const says = { trace_id: "t", parent_id: "root", egress: "allowed" };
    expect(buffer.end(plainFacts({ ...says, span_id: "x" }), 1)).toBe("held");
    expect(buffer.end(plainFacts({ ...says, span_id: "y" }), 2)).toBe("span_limit");
    // One that says nothing takes no place of those that do.
    expect(end(buffer, "t", "z", "root", 2)).toBe("held");
    expect(end(buffer, "t", "zz", "root", 2)).toBe("span_limit");
    // The root has a place of its own, and only one of them.
    buffer.start("t", "second", "", false, 3);
    expect(end(buffer, "t", "root", "", 3)).toBe("held");
    expect(end(buffer, "t", "second", "", 3)).toBe("span_limit");
    const [entry] = buffer.takeReady();
    expect(entry?.cause).toBe("complete");
    expect([...(entry?.reasons ?? [])]).toEqual(["spans_dropped"]);
  });

  test("a span id that comes again is a duplicate; the first stays", () => {
    const buffer = new TraceBuffer(limits());
    buffer.start("t", "root", "", false, 0);
    expect(end(buffer, "t", "x", "root", 1)).toBe("held");
    expect(end(buffer, "t", "x", "root", 2)).toBe("duplicate");
    buffer.start("t", "x", "root", false, 3);
    end(buffer, "t", "root", "", 4);
    expect(ready(buffer)).toEqual(["t:complete"]);
  });

  test("a thousand local roots in one trace are followed to the last", () => {
    const buffer = new TraceBuffer(limits());
    for (let index = 0; index < 1_000; index += 1) buffer.start("t", `r${index}`, "", false, index);
    for (let index = 0; index < 999; index += 1) end(buffer, "t", `r${index}`, "", 2_000 + index);
    expect(ready(buffer)).toEqual([]);
    end(buffer, "t", "r999", "", 9_000);
    expect(ready(buffer)).toEqual(["t:complete"]);
  });
});

/** A plain model: what should be held, released and dropped, with none of the buffer's machinery. */
describe("against a plain map", () => {
  const ids = fc.constantFrom("a", "b", "c", "d", "e");
  const traces = fc.constantFrom("t1", "t2", "t3", "t4");
  const operation = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        op: fc.constant("start" as const),
        t: traces,
        s: ids,
        p: fc.option(ids),
        r: fc.boolean(),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({ op: fc.constant("end" as const), t: traces, s: ids, p: fc.option(ids), r: fc.boolean() }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ op: fc.constant("wait" as const), ms: fc.constantFrom(1, 500, 2_000, 31_000, 1_000_000) }),
    },
    { weight: 2, arbitrary: fc.record({ op: fc.constant("score" as const) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("flush" as const) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("evict" as const) }) },
  );

  test("seen = released + held + drops, exactly, and every span is handed over once", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 120 }), (operations) => {
        const buffer = new TraceBuffer(limits({ maxTraces: 2, maxSpansPerTrace: 3, maxFinishedTraces: 2 }));
        let now = 0;
        let seen = 0;
        let released = 0;
        const drops = new Map<string, number>();
        /** Spans the buffer took, by the unit that took them; a unit is a trace entry. */
        const taken = new Map<object, Set<string>>();
        const score = (): void => {
          for (const entry of buffer.takeReady()) {
            expect(entry.state).not.toBe("open");
            released += buffer.release(entry);
            const ids = new Set<string>();
            entry.spans.forEachId((id) => ids.add(id));
            taken.set(entry, ids);
            expect(taken.get(entry)?.size).toBe(entry.spans.length);
            expect(entry.spans.length).toBeLessThanOrEqual(3);
          }
          buffer.takeClosed();
        };
        for (const action of operations) {
          now += 1;
          if (action.op === "start") buffer.start(action.t, action.s, action.p ?? "", action.r, now);
          else if (action.op === "end") {
            seen += 1;
            const outcome = end(buffer, action.t, action.s, action.p ?? "", now, action.r);
            if (!outcome.startsWith("held")) drops.set(outcome, (drops.get(outcome) ?? 0) + 1);
          } else if (action.op === "wait") {
            now += action.ms;
            buffer.advance(now);
          } else if (action.op === "flush") buffer.flush(now);
          else if (action.op === "evict") buffer.evictOldest(now);
          else score();
          const dropped = [...drops.values()].reduce((sum, count) => sum + count, 0);
          expect(released + buffer.heldCount + dropped).toBe(seen);
          expect(buffer.openCount).toBeLessThanOrEqual(3);
          expect(buffer.finishedCount).toBeLessThanOrEqual(2);
        }
        buffer.finishAll("drain", now);
        buffer.closeAll();
        score();
        const dropped = [...drops.values()].reduce((sum, count) => sum + count, 0);
        expect(released + dropped).toBe(seen);
        expect(buffer.heldCount).toBe(0);
        expect(buffer.holdings.bytes).toBe(0);
        expect(buffer.nextDeadline).toBe(Number.POSITIVE_INFINITY);
        const inUnits = [...taken.values()].reduce((sum, spans) => sum + spans.size, 0);
        expect(inUnits).toBe(released);
      }),
      { seed: 42, numRuns: 500 },
    );
  });
});

describe("spans that are only counted", () => {
  test("what stirs puts idleness off to the look that notices it, four of them in openIdleMillis", () => {
    const buffer = new TraceBuffer(limits());
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    buffer.startBeneath(root.entry);
    buffer.endLeaf(root.entry, undefined, 0);
    buffer.advance(225_000);
    buffer.advance(450_000);
    buffer.advance(1_124_999);
    expect(ready(buffer)).toEqual([]);
    buffer.advance(1_125_000);
    expect(ready(buffer)).toEqual(["t:idle"]);
  });

  test("without looks in between, as in a frozen process, it counts as the moment in which it is noticed", () => {
    const buffer = new TraceBuffer(limits());
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    buffer.startBeneath(root.entry);
    buffer.advance(2_000_000);
    expect(ready(buffer)).toEqual([]);
    buffer.advance(2_899_999);
    expect(ready(buffer)).toEqual([]);
    buffer.advance(2_900_000);
    expect(ready(buffer)).toEqual(["t:idle"]);
  });

  test("a span that ends within a trace that goes on is held, and nothing is timed", () => {
    const buffer = new TraceBuffer(limits());
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    buffer.startBeneath(root.entry);
    expect(buffer.endWithin(root.entry, plainFacts({ trace_id: "t", span_id: "leaf", parent_id: "root" }))).toBe(true);
    expect([root.entry.open_count, root.entry.spans.length, buffer.heldCount]).toEqual([1, 1, 1]);
    // The root is the last that is open: its end finishes the trace, which is timed.
    expect(buffer.endWithin(root, plainFacts({ trace_id: "t", span_id: "root" }))).toBe(false);
    expect(end(buffer, "t", "root", "", 3)).toBe("held");
    expect(ready(buffer)).toEqual(["t:complete"]);
  });

  test("a parent ends once within its trace", () => {
    const buffer = new TraceBuffer(limits());
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    buffer.startBeneath(root.entry);
    const parent = buffer.promote(root.entry, "parent");
    const facts = plainFacts({ trace_id: "t", span_id: "parent", parent_id: "root" });
    expect(buffer.endWithin(parent, facts)).toBe(true);
    expect(buffer.endWithin(parent, facts)).toBe(false);
    expect(buffer.end(facts, 1, parent)).toBe("duplicate");
  });

  test("a leaf is counted at its start and at its end, and the trace still finishes with its root", () => {
    const buffer = new TraceBuffer(limits());
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    buffer.startBeneath(root.entry);
    expect(root.entry.open_count).toBe(2);
    expect(buffer.endLeaf(root.entry, undefined, 0)).toBe(true);
    expect(buffer.heldCount).toBe(1);
    expect(end(buffer, "t", "root", "", 3)).toBe("held");
    expect(ready(buffer)).toEqual(["t:complete"]);
  });

  test("a leaf that is held is known by its id, and counted as one that is let go is", () => {
    const buffer = new TraceBuffer(limits({ maxSpansPerTrace: 4 }));
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    const endHeld = (id: string): boolean =>
      buffer.endLeaf(root.entry, plainFacts({ trace_id: "t", span_id: id, parent_id: "root" }), 7);
    const [a, b, c] = ["a", "b", "c"].map((letter) => letter.repeat(16)) as [string, string, string];
    for (let leaf = 0; leaf < 3; leaf += 1) buffer.startBeneath(root.entry);
    // Half of the places of spans that say nothing.
    expect([endHeld("short"), endHeld(a), endHeld(b), endHeld(c)]).toEqual([false, true, true, false]);
    expect([root.entry.open_count, buffer.heldCount, root.entry.spans.length]).toEqual([2, 2, 2]);
    expect([root.entry.index.find(a), root.entry.index.find(c)]).toEqual(["held", undefined]);
    expect(buffer.endLeaf(root.entry, undefined, 0)).toBe(true);
    end(buffer, "t", "root", "", 2);
    expect(ready(buffer)).toEqual(["t:complete"]);
    expect(endHeld(c)).toBe(false);
  });

  test("what a trace hangs on is no leaf", () => {
    const buffer = new TraceBuffer(limits());
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    buffer.startBeneath(root.entry);
    end(buffer, "t", "root", "", 2);
    // It is the last open span: the trace is finished when it ends, so it is read like any other.
    expect(buffer.endLeaf(root.entry, undefined, 0)).toBe(false);
  });

  test("one that becomes a parent is known by its id from then on", () => {
    const buffer = new TraceBuffer(limits());
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    buffer.startBeneath(root.entry);
    const parent = buffer.promote(root.entry, "parent");
    expect(parent.root).toBe(false);
    expect(root.entry.open_count).toBe(2);
    expect(root.entry.index.find("parent")).toBe(parent);
    expect(end(buffer, "t", "parent", "root", 2)).toBe("held");
    expect(end(buffer, "t", "parent", "root", 2)).toBe("duplicate");
  });

  test("one that ends on another object than it started on is still counted as ended", () => {
    const buffer = new TraceBuffer(limits());
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    buffer.startBeneath(root.entry);
    expect(end(buffer, "t", "wrapped", "root", 2)).toBe("held");
    end(buffer, "t", "root", "", 3);
    expect(ready(buffer)).toEqual(["t:complete"]);
  });

  test("however many are open at once, none is refused, and the trace is over with its last one", () => {
    const buffer = new TraceBuffer(limits({ maxSpansPerTrace: 1 }));
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    for (let leaf = 0; leaf < 5; leaf += 1) buffer.startBeneath(root.entry);
    for (let leaf = 0; leaf < 5; leaf += 1) expect(buffer.endLeaf(root.entry, undefined, 0)).toBe(true);
    expect([root.entry.open_count, root.entry.state, [...root.entry.reasons]]).toEqual([1, "open", []]);
    expect(end(buffer, "t", "root", "", 3)).toBe("held");
    expect(ready(buffer)).toEqual(["t:complete"]);
  });
});

describe("maxSpansPerTrace", () => {
  const idOf = (number: number): string => number.toString(16).padStart(16, "0");
  const plain = (number: number): SpanFacts =>
    plainFacts({ trace_id: "t", span_id: idOf(number), parent_id: idOf(0), seq: number });
  const saying = (number: number): SpanFacts => ({ ...plain(number), session_end: true });

  test("is for spans that say something and for those that do not, each", () => {
    const buffer = new TraceBuffer(limits({ maxSpansPerTrace: 3 }));
    const outcomes = [1, 2, 3, 4].map((number) => buffer.end(plain(number), 1));
    expect(outcomes).toEqual(["held", "held", "held", "span_limit"]);
    expect([11, 12, 13, 14].map((number) => buffer.end(saying(number), 1))).toEqual(outcomes);
    expect(end(buffer, "t", idOf(0), "", 2)).toBe("held");
    expect(buffer.get("t")?.spans.length).toBe(7);
    expect([...(buffer.get("t")?.reasons ?? [])]).toEqual(["spans_dropped"]);
  });

  test("a leaf that says nothing, and for which there is no room, is let go", () => {
    const buffer = new TraceBuffer(limits({ maxSpansPerTrace: 1 }));
    const root = buffer.start("t", idOf(0), "", false, 0);
    if (root === undefined) throw new Error("not started");
    for (const number of [1, 2, 3]) {
      buffer.startBeneath(root.entry);
      expect(buffer.end(plain(number), 1, root.entry)).toBe("held");
    }
    expect([root.entry.spans.length, buffer.heldCount, root.entry.open_count]).toEqual([1, 3, 1]);
    expect([...root.entry.reasons]).toEqual([]);
  });

  test("starts that were refused are not taken off those that were counted", () => {
    const buffer = new TraceBuffer(limits({ maxSpansPerTrace: 2 }));
    const root = buffer.start("t", "root", "", false, 0);
    if (root === undefined) throw new Error("not started");
    buffer.startBeneath(root.entry);
    expect(buffer.start("t", "known", "root", false, 0)).toBeDefined();
    expect(buffer.start("t", "refused", "root", false, 0)).toBeUndefined();
    expect([root.entry.open_count, root.entry.refused]).toEqual([3, 1]);
    end(buffer, "t", "refused", "root", 1);
    expect([root.entry.open_count, root.entry.refused, root.entry.anonymous]).toEqual([3, 0, 1]);
  });
});

test("a span that has ended takes up what it holds, and no longer what an open one does", () => {
  const buffer = new TraceBuffer(limits());
  const root = buffer.start("t", "root", "", false, 0);
  if (root === undefined) throw new Error("not started");
  const before = root.entry.bytes;
  buffer.startBeneath(root.entry);
  const parent = buffer.promote(root.entry, "parent");
  expect(root.entry.bytes).toBeGreaterThan(before);
  const facts = plainFacts({ trace_id: "t", span_id: "parent", parent_id: "root", bytes: 70 });
  buffer.endWithin(parent, facts);
  expect(root.entry.bytes).toBe(before + 70);
});

test("a trace whose start was seen is idle by openIdleMillis, however much shorter than idleMillis", () => {
  const buffer = new TraceBuffer(limits({ idleMillis: 30_000, openIdleMillis: 1_000, maxTraceMillis: 1e9 }));
  buffer.start("t", "root", "", false, 0);
  buffer.advance(1_250);
  buffer.advance(1_500);
  expect(ready(buffer)).toEqual(["t:idle"]);
  // Ended spans first, then a start.
  end(buffer, "u", "late", "parent", 2_000);
  expect(buffer.nextDeadline).toBe(32_000);
  buffer.start("u", "root", "", false, 2_000);
  expect(buffer.nextDeadline).toBeLessThanOrEqual(3_000);
});
