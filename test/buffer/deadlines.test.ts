import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Deadlines, type Due } from "../../src/buffer/deadlines.ts";

interface Item extends Due {
  readonly id: number;
  due: number;
}

const item = (id: number): Item => ({ id, due: 0, heap_key: 0, heap_index: -1 });
const heapOfItems = (): Deadlines<Item> => new Deadlines<Item>((each) => each.due);

function set(heap: Deadlines<Item>, each: Item, due: number): void {
  each.due = due;
  heap.set(each);
}

describe("deadlines", () => {
  test("a deadline that moves later keeps the item until then", () => {
    const heap = heapOfItems();
    const a = item(1);
    set(heap, a, 10);
    set(heap, a, 20);
    expect(heap.take(15)).toBeUndefined();
    expect(heap.next).toBe(20);
    expect(heap.take(20)).toBe(a);
    expect(heap.size).toBe(0);
  });

  test("a deadline that moves earlier takes effect at once", () => {
    const heap = heapOfItems();
    const [a, b] = [item(1), item(2)];
    set(heap, a, 10);
    set(heap, b, 20);
    set(heap, b, 5);
    expect(heap.take(7)).toBe(b);
    expect(heap.take(7)).toBeUndefined();
  });

  test("behaves as a plain map of deadlines", () => {
    const operation = fc.oneof(
      fc.record({ op: fc.constant("set" as const), id: fc.nat(12), at: fc.nat(100) }),
      fc.record({ op: fc.constant("delete" as const), id: fc.nat(12), at: fc.constant(0) }),
      fc.record({ op: fc.constant("take" as const), id: fc.constant(0), at: fc.nat(100) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const heap = heapOfItems();
        const items = Array.from({ length: 13 }, (_, id) => item(id));
        const model = new Map<number, number>();
        for (const { op, id, at } of operations) {
          if (op === "set") {
            set(heap, items[id] as Item, at);
            model.set(id, at);
          } else if (op === "delete") {
            heap.delete(items[id] as Item);
            model.delete(id);
          } else {
            const taken: number[] = [];
            for (let due = heap.take(at); due !== undefined; due = heap.take(at)) taken.push(due.id);
            const expected = [...model].filter(([, due]) => due <= at).map(([key]) => key);
            expect([...taken].sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
            for (const key of taken) model.delete(key);
          }
          expect(heap.size).toBe(model.size);
          // A lower bound is enough: whoever wakes too early finds nothing due.
          if (model.size > 0) expect(heap.next as number).toBeLessThanOrEqual(Math.min(...model.values()));
        }
      }),
      { seed: 42, numRuns: 300 },
    );
  });
});
