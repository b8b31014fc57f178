import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const page = readFileSync(new URL("../../docs/sizing.md", import.meta.url), "utf8");

/** Cells of the table in a section, as text, without its head. */
function rowsOf(heading: string): string[][] {
  const section = page.split(/^## /m).find((each) => each.startsWith(heading)) ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .slice(2, -2)
      .split("|")
      .map((cell) => cell.trim()),
  );
}
/** The first number in a text. */
const number = (text = ""): number => Number(text.replaceAll(/(?<=\d) (?=\d{3})/g, "").match(/\d+(?:\.\d+)?/)?.[0]);
const numbers = (cells: readonly string[]): number[] => cells.map(number);

const measured = new Map(rowsOf("What was measured").map(([what = "", figure = ""]) => [what, number(figure)]));
const figure = (start: string): number => [...measured].find(([what]) => what.startsWith(start))?.[1] as number;
const PER_CORE = figure("spans a second that one core takes");
const GZIP = figure("the same, gzip");
const TRACE = figure("bytes counted for a trace that is held");
const OF_SESSION = figure("bytes counted for a trace of a session");
const SPANS = 31;
const MAX_BUFFERED = 512 * 2 ** 20;
const DAY = 86_400;

const round = (value: number, digits = 0): number => Number(value.toFixed(digits));
const byLoad = (spans: number): number => Math.ceil(round(spans / PER_CORE / 0.6, 9));
const byMemory = (bytes: number): number => Math.ceil(bytes / (0.7 * MAX_BUFFERED));

describe("docs/sizing.md", () => {
  test("says what was measured", () => {
    expect([PER_CORE, GZIP, TRACE, OF_SESSION]).toEqual([18_000, 228, 19_286, 9_796]);
  });

  test.each(rowsOf("Traces"))("traces: %s spans a second", (...cells) => {
    const [spans = 0, ...given] = numbers(cells);
    const held = (spans / SPANS) * TRACE * (10 / 2 + 10 + 10);
    expect(given).toEqual([
      round(spans / PER_CORE, 1),
      Math.max(byLoad(spans), byMemory(held)),
      round(held / 1e9, held < 1e8 ? 2 : 1),
      round((spans * GZIP) / 1e6, 1),
      round((spans / SPANS) * 2),
    ]);
  });

  test("traces, with the default times", () => {
    const held = (1e6 / SPANS) * TRACE * (10 / 2 + 30 + 30);
    expect(page).toContain(`the last row holds ${round(held / 1e9, 1)} GB`);
    expect(page).toContain(`so take ${byMemory(held)}.`);
  });

  const SESSIONS = 1e8;
  const traces = (1e6 * DAY) / SESSIONS / SPANS;
  const bytes = traces * OF_SESSION;
  test("the exercise: a session", () => {
    const [rate, spans] = [round(SESSIONS / DAY), (1e6 * DAY) / SESSIONS];
    const text = `That is ${rate.toLocaleString("fr").replace(/\s/g, " ")} sessions a second, ${spans} spans and ${round(traces, 1)} traces in each, ${round(bytes / 1e3)} kB`;
    expect(page).toContain(text);
  });

  const idles = [1_800, 300, 20];
  test.each(rowsOf("The exercise").map((cells, index) => [index, ...cells] as const))("row %s: %s", (...row) => {
    const [index, , ...cells] = row;
    const idle = idles[index] as number;
    const held = (SESSIONS / DAY) * bytes * (600 / 2 + idle);
    expect(numbers(cells)).toEqual([
      600 / 2 + idle,
      round((SESSIONS / DAY) * (600 + idle)),
      round(held / 1e9, 1),
      byMemory(held),
      byLoad(1e6),
    ]);
  });

  test("the exercise: routers", () => {
    const cores = [
      "spans a second that one core of a router passes on, gzip",
      "the same without compression, by-trace",
      "the same without compression, by-session",
    ].map((what) => Math.ceil(1e6 / figure(what) / 0.6));
    const [gzip = 0, byTrace = 0, bySession = 0] = cores;
    expect(page).toContain(`With gzip ${gzip} cores,`);
    expect(page.replaceAll("\n", " ")).toContain(`${byTrace} cores by trace, and ${bySession} by session`);
    const more = figure("bytes of a span on the wire") - GZIP;
    const month = (more * 1e6 * 3_600 * 730) / 1e15;
    expect(page).toContain(`${round(more / 1e3, 1)} GB/s more between`);
    expect(page).toContain(`${round(month, 1)} PB a month`);
    const price = (number: number): string => `$${round(number * 730 * 0.03)}`.replace(/(\d)(\d{3})$/, "$1 $2");
    expect(page.replaceAll("\n", " ")).toContain(`${price(gzip)} a month with gzip, ${price(byTrace)} without`);
  });

  test.each(rowsOf("What it costs"))("cost: %s", (_, ...cells) => {
    const [replicas = 0, ...given] = numbers(cells);
    const [cores, memory] = [replicas * 730, replicas * 2 * 730];
    const price = cores * 0.03 + memory * 0.004;
    expect(given).toEqual([cores, memory, round(price), round(price / ((1e6 * 3_600 * 730) / 1e6), 4)]);
  });
});
