import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CommitPoint, commitPointOf, metadataOf, OffsetLedger } from "../../src/kafka/offset-ledger.ts";

/** One record: when it came, and which traces have a span in it. */
interface Entry {
  readonly time: number;
  readonly ids: readonly string[];
}

/** A result: the trace, told from others of its id by its first record, and the records that were scored. */
type Said = string;

const QUIET = 10;
const MEMORY = 40;

interface ToyUnit {
  readonly id: string;
  readonly records: number[];
  readonly silent: boolean;
  lastTime: number;
}

/** The plainest engine: a unit is over after a while of quiet; what comes later of one that is over joins nothing. */
class Toy {
  readonly said: Said[] = [];
  readonly #open = new Map<string, ToyUnit>();
  readonly #gone = new Set<string>();
  readonly ledger: OffsetLedger<ToyUnit>;
  #now = 0;

  constructor(start: CommitPoint) {
    this.ledger = new OffsetLedger(start);
  }

  get now(): number {
    return this.#now;
  }

  advance(now: number): void {
    this.#now = Math.max(this.#now, now);
    for (const [id, unit] of this.#open) {
      if (unit.lastTime + QUIET > this.#now) continue;
      this.#open.delete(id);
      this.#gone.add(id);
      if (!unit.silent) this.said.push(`${unit.id}: ${unit.records.join(" ")}`);
      this.ledger.close(unit, this.#now);
    }
  }

  read(offset: number, { time, ids }: Entry): void {
    this.advance(time);
    for (const id of ids) {
      if (this.#gone.has(id)) {
        this.ledger.straggle(id, offset, this.#now);
        continue;
      }
      let unit = this.#open.get(id);
      if (unit === undefined) {
        unit = { id, records: [], silent: this.ledger.isReplayed(offset), lastTime: this.#now };
        this.#open.set(id, unit);
      }
      unit.records.push(offset);
      unit.lastTime = this.#now;
      this.ledger.touch(id, unit, offset);
    }
    this.ledger.passed(offset);
  }
}

function uninterrupted(log: readonly Entry[]): readonly Said[] {
  const toy = new Toy({ offset: 0, replayFrom: 0 });
  for (const [offset, entry] of log.entries()) toy.read(offset, entry);
  toy.advance(Number.MAX_SAFE_INTEGER);
  return toy.said;
}

/** Up to eight traces at a time, in bursts and lulls; stragglers come at most `MEMORY` after their trace was last seen. */
const logs: fc.Arbitrary<readonly Entry[]> = fc
  .array(
    fc.record({
      lull: fc.oneof({ weight: 9, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(QUIET + 4) }),
      slots: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 60, maxLength: 160 },
  )
  .map((steps) => {
    let time = 0;
    const slots: { id: string; seen: number }[] = [];
    let serial = 0;
    return steps.map(({ lull, slots: chosen }) => {
      time += lull;
      const ids = chosen.map((slot) => {
        const held = slots[slot];
        // Now and then the next trace takes its place; one that was quiet for longer than the memory has to go.
        if (held === undefined || time - held.seen >= MEMORY - QUIET - 1 || (time * 7 + slot) % 11 === 0) {
          slots[slot] = { id: `t${serial++}`, seen: time };
        } else held.seen = time;
        return (slots[slot] as { id: string }).id;
      });
      return { time, ids };
    });
  });

describe("offsets behind the oldest trace that is not over", () => {
  test("however often a reader is killed, each trace is scored whole, and nothing else is", () => {
    let kills = 0;
    let replays = 0;
    let repeated = 0;
    const lives = fc.array(fc.record({ reads: fc.nat(90), every: fc.integer({ min: 1, max: 9 }) }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(logs, lives, (log, killed) => {
        const right = uninterrupted(log);
        let committed = "";
        let offset = 0;
        const said: Said[] = [];
        for (const life of [...killed, { reads: Number.POSITIVE_INFINITY, every: 1 }]) {
          const toy = new Toy(commitPointOf(offset, committed));
          const from = toy.ledger.next;
          if (from < offset) replays += 1;
          for (let at = from; at < log.length && at - from < life.reads; at += 1) {
            toy.read(at, log[at] as Entry);
            const point = at % life.every === 0 ? toy.ledger.point(toy.now - MEMORY) : undefined;
            if (point === undefined) continue;
            expect(point.offset).toBeGreaterThanOrEqual(offset);
            ({ offset } = point);
            committed = metadataOf(point);
          }
          if (life.reads === Number.POSITIVE_INFINITY) toy.advance(Number.MAX_SAFE_INTEGER);
          else kills += 1;
          said.push(...toy.said);
        }
        expect([...new Set(said)].sort()).toEqual([...right].sort());
        repeated += said.length - right.length;
      }),
      { numRuns: 400, seed: 20_261_130 },
    );
    // What is claimed was put to the test.
    expect(kills).toBeGreaterThan(500);
    expect(replays).toBeGreaterThan(100);
    expect(repeated).toBeGreaterThan(100);
  });

  test("the offset stays at the oldest trace that is open, and reading goes back to those that reach beyond it", () => {
    const ledger = new OffsetLedger<{ readonly name: string }>({ offset: 0, replayFrom: 0 });
    const [a, b, c] = [{ name: "a" }, { name: "b" }, { name: "c" }];
    for (const [offset, unit] of [a, b, a, c, a].entries()) {
      ledger.touch(unit.name, unit, offset);
      ledger.passed(offset);
    }
    expect(ledger.point(0)).toEqual({ offset: 0, replayFrom: 0 });
    ledger.close(a, 100);
    expect(ledger.point(200)).toEqual({ offset: 1, replayFrom: 0 });
    ledger.close(b, 100);
    expect(ledger.point(200)).toEqual({ offset: 3, replayFrom: 0 });
    ledger.close(c, 100);
    expect(ledger.point(100)).toEqual({ offset: 5, replayFrom: 0 });
    expect(ledger.point(101)).toEqual({ offset: 5, replayFrom: 5 });
  });

  test("nothing is committed before what was committed has been caught up with, and nothing goes back", () => {
    const ledger = new OffsetLedger<object>({ offset: 2, replayFrom: 0 });
    const old = {};
    ledger.touch("old", old, 0);
    ledger.passed(0);
    expect(ledger.point(0)).toBeUndefined();
    ledger.passed(1);
    expect([1, 2].map((offset) => ledger.isReplayed(offset))).toEqual([true, false]);
    expect(ledger.openCount).toBe(0);
    expect(ledger.point(0)).toEqual({ offset: 2, replayFrom: 0 });
    ledger.touch("new", {}, 2);
    ledger.touch("old", old, 3);
    ledger.passed(3);
    expect(ledger.openCount).toBe(1);
    expect(ledger.point(0)).toEqual({ offset: 2, replayFrom: 0 });
  });

  test.each([
    ["otel-trajectory:1 replay-from=40", { offset: 50, replayFrom: 40 }],
    ["otel-trajectory:1 replay-from=60", { offset: 50, replayFrom: 50 }],
    ["", { offset: 50, replayFrom: 50 }],
    [null, { offset: 50, replayFrom: 50 }],
    ["replay-from=40", { offset: 50, replayFrom: 50 }],
    ["otel-trajectory:2 replay-from=40", { offset: 50, replayFrom: 50 }],
  ])("what was committed with the offset is read back: %s", (metadata, point) => {
    expect(commitPointOf(50, metadata)).toEqual(point);
  });
});
