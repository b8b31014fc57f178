import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ExportQueue, type Sent } from "../../src/serve/export-queue.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MAX_WAITING = 300;
const outcome = fc.constantFrom<Sent>("sent", "sent", "again", "refused");

test("whatever the backend answers, every item arrives once, in order, or is counted as lost", async () => {
  let retried = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(700), { minLength: 1, maxLength: 12 }),
      fc.array(outcome, { maxLength: 30 }),
      async (bursts, outcomes) => {
        const arrived: number[] = [];
        let lost = 0;
        const left = [...outcomes];
        const queue = new ExportQueue<number>({
          maxWaiting: MAX_WAITING,
          onLost: (count) => {
            lost += count;
          },
          send: async (batch) => {
            await Promise.resolve();
            const sent = left.shift() ?? "sent";
            if (sent === "again") retried += 1;
            if (sent === "sent") arrived.push(...batch);
            return sent;
          },
        });
        let next = 0;
        for (const burst of bursts) {
          for (let count = 0; count < burst; count += 1) {
            queue.add(next);
            next += 1;
          }
          expect(queue.size).toBeLessThanOrEqual(MAX_WAITING * 10);
          expect(queue.isFull).toBe(queue.size >= MAX_WAITING);
          await vi.advanceTimersByTimeAsync(100);
        }
        const flushed = queue.flush(10_000_000);
        await vi.runAllTimersAsync();
        expect(await flushed).toBe(true);
        expect(arrived).toEqual([...new Set(arrived)].sort((a, b) => a - b));
        expect(arrived.length + lost).toBe(next);
      },
    ),
    { numRuns: 60 },
  );
  expect(retried).toBeGreaterThan(20);
});

test("what is left when it closes is lost and counted", async () => {
  const lost: unknown[] = [];
  const queue = new ExportQueue<number>({
    maxWaiting: 10,
    onLost: (count, why) => lost.push([count, why]),
    send: () => Promise.resolve("again"),
  });
  for (let item = 0; item < 101; item += 1) queue.add(item);
  expect(lost).toEqual([[1, "queue_full"]]);
  const flushed = queue.flush(2_000);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await flushed).toBe(false);
  queue.close();
  queue.add(0);
  expect(lost.slice(1)).toEqual([
    [100, "shutdown"],
    [1, "shutdown"],
  ]);
});
