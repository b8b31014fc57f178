import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BufferLimits, DEFAULT_LIMITS } from "../../src/buffer/limits.ts";
import { SessionBuffer, type SessionTrace } from "../../src/buffer/session-buffer.ts";
import type { AssembledTrace } from "../../src/model/assembled.ts";

const limits = (given: Partial<BufferLimits> = {}): BufferLimits => ({ ...DEFAULT_LIMITS, ...given });

const sessionTrace = (steps = 1, bytes = 10): SessionTrace => {
  const placed = Array.from({ length: steps }, (_, place) => ({
    step: { kind: "TOOL" as const, name: `step-${place}` },
    start_s: 1,
    start_n: 0,
    place,
  }));
  const trace = { steps: placed, tools: placed } as unknown as AssembledTrace;
  return { trace, reasons: [], first_span_id: "x", contextual: [], bytes };
};

const ready = (buffer: SessionBuffer): string[] => buffer.takeReady().map((entry) => entry.session_id);

describe("when a session is finished", () => {
  test("sessionIdleMillis after its last trace", () => {
    const buffer = new SessionBuffer(limits());
    buffer.add("s", 0, sessionTrace(), 1, 0);
    buffer.add("s", 1, sessionTrace(), 1, 1_000_000);
    buffer.advance(2_799_999);
    expect(ready(buffer)).toEqual([]);
    buffer.advance(2_800_000);
    expect(ready(buffer)).toEqual(["s"]);
  });

  test("maxSessionMillis after its first", () => {
    const buffer = new SessionBuffer(limits({ maxSessionMillis: 2_000_000 }));
    buffer.add("s", 0, sessionTrace(), 1, 0);
    buffer.add("s", 1, sessionTrace(), 1, 1_500_000);
    buffer.advance(2_000_000);
    expect(ready(buffer)).toEqual(["s"]);
  });

  test("when it is ended; a later trace opens a new one", () => {
    const buffer = new SessionBuffer(limits());
    const first = buffer.add("s", 0, sessionTrace(), 1, 0);
    buffer.end("s");
    buffer.end("unknown");
    expect(ready(buffer)).toEqual(["s"]);
    expect(buffer.add("s", 1, sessionTrace(), 1, 5)).not.toBe(first);
    expect(buffer.openCount).toBe(1);
  });

  test("beyond maxSessions the longest idle is scored as it stands", () => {
    const buffer = new SessionBuffer(limits({ maxSessions: 2 }));
    buffer.add("a", 0, sessionTrace(), 1, 0);
    buffer.add("b", 1, sessionTrace(), 1, 1);
    buffer.add("a", 2, sessionTrace(), 1, 2);
    buffer.add("c", 3, sessionTrace(), 1, 3);
    const [evicted] = buffer.takeReady();
    expect(evicted?.session_id).toBe("b");
    expect([...(evicted?.reasons ?? [])]).toEqual(["evicted"]);
  });

  test("steps beyond maxStepsPerSession are cut, and the session says so", () => {
    const buffer = new SessionBuffer(limits({ maxStepsPerSession: 3 }));
    buffer.add("s", 0, sessionTrace(2), 1, 0);
    const entry = buffer.add("s", 1, sessionTrace(2), 1, 1);
    expect([...entry.traces.values()].map((item) => item.trace.steps.length)).toEqual([2, 1]);
    expect([...entry.reasons]).toEqual(["spans_dropped"]);
  });

  test("a trace that is read again replaces itself", () => {
    const buffer = new SessionBuffer(limits());
    buffer.add("s", 0, sessionTrace(1, 10), 1, 0);
    const entry = buffer.add("s", 0, sessionTrace(3, 30), 2, 1);
    expect(entry.traces.size).toBe(1);
    expect(entry.steps).toBe(3);
    expect(buffer.bytes).toBe(30);
    expect(buffer.heldCount).toBe(3);
    buffer.move(entry, 0);
    expect(buffer.bytes).toBe(0);
    expect(entry.traces.size).toBe(0);
  });
});

test("against a plain map: traces, bytes and held spans are those of the sessions that are open", () => {
  const operation = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        op: fc.constant("add" as const),
        s: fc.constantFrom("a", "b", "c"),
        n: fc.nat(6),
        bytes: fc.nat(50),
      }),
    },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("end" as const), s: fc.constantFrom("a", "b", "c") }) },
    {
      weight: 1,
      arbitrary: fc.record({ op: fc.constant("wait" as const), ms: fc.constantFrom(1, 1_000_000, 2_000_000) }),
    },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("evict" as const) }) },
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 100 }), (operations) => {
      const buffer = new SessionBuffer(limits({ maxSessions: 2 }));
      const model = new Map<string, { traces: Map<number, number>; held: number; last: number }>();
      let now = 0;
      for (const action of operations) {
        now += 1;
        if (action.op === "add") {
          if (!model.has(action.s) && model.size === 2) {
            const [oldest] = [...model].sort((x, y) => x[1].last - y[1].last);
            model.delete((oldest as [string, unknown])[0]);
          }
          const session = model.get(action.s) ?? { traces: new Map<number, number>(), held: 0, last: now };
          session.traces.set(action.n, action.bytes);
          session.held += 1;
          session.last = now;
          model.set(action.s, session);
          buffer.add(action.s, action.n, sessionTrace(1, action.bytes), 1, now);
        } else if (action.op === "end") {
          model.delete(action.s);
          buffer.end(action.s);
        } else if (action.op === "wait") {
          now += action.ms;
          for (const [id, session] of model) if (session.last + 1_800_000 <= now) model.delete(id);
          buffer.advance(now);
        } else {
          const [oldest] = [...model].sort((x, y) => x[1].last - y[1].last);
          if (oldest !== undefined) model.delete(oldest[0]);
          buffer.evictOldest();
        }
        for (const entry of buffer.takeReady()) buffer.release(entry);
        const open = [...model.values()];
        expect(buffer.openCount).toBe(open.length);
        expect(buffer.heldCount).toBe(open.reduce((sum, session) => sum + session.held, 0));
        expect(buffer.bytes).toBe(
          open.flatMap((session) => [...session.traces.values()]).reduce((sum, n) => sum + n, 0),
        );
      }
    }),
    { seed: 42, numRuns: 300 },
  );
});
