import { expect, test } from "vitest";
import { RecordClock } from "../../src/kafka/record-clock.ts";

test("time is that of the records, never goes back, and no record is from the future", () => {
  const clock = new RecordClock(() => 5_000);
  const times = [1_000, 1_500, 1_200, 9_999].map((timestamp) => {
    clock.advance(clock.withRecord(timestamp));
    return clock.now();
  });
  expect(times).toEqual([0, 500, 500, 4_000]);
  expect(clock.timestamp).toBe(5_000);
});

test("it goes by as outside while there is nothing to read, from a second after that was found out", () => {
  const clock = new RecordClock(() => 10_000);
  const advanced = (now: number): number => {
    clock.advance(now);
    return clock.now();
  };
  expect(advanced(clock.withRecord(1_000))).toBe(0);
  expect([70, 900, 1_070, 1_100.25, 1_150.5].map((millis) => advanced(clock.withQuiet(millis)))).toEqual([
    0, 0, 0, 30, 80,
  ]);
  expect(advanced(clock.withRecord(1_050))).toBe(80);
  expect(advanced(clock.withRecord(1_100))).toBe(100);
  expect(advanced(clock.withQuiet(2_400))).toBe(100);
});
