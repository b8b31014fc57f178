import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PRECEDENCE } from "../../src/conventions/convention.ts";
import { CONVENTIONS, DEFAULT_CONVENTIONS } from "../../src/conventions/defaults.ts";
import { conventionContract } from "../contract/convention.ts";
import { captures, captureText } from "../support/captures.ts";
import { conventionsTable, unknownRemarks } from "../support/conventions-table.ts";
import { kindAndName, readOne } from "../support/read-one.ts";
import { viewsOfOtlp } from "../support/read-traces.ts";
import { acme } from "./acme.ts";

const file = new URL("../../docs/conventions.md", import.meta.url);
const START = "<!-- table -->\n";
const END = "\n<!-- end of table -->";

const page = (): string => readFileSync(file, "utf8");

/** What stands between two marks, each of which must be there once. */
function between(text: string, start: string, end: string): string {
  expect([text.split(start).length, text.split(end).length]).toEqual([2, 2]);
  return text.slice(text.indexOf(start) + start.length, text.indexOf(end));
}

test("the table of instrumentations is what the captures show", () => {
  const text = page();
  const written = between(text, START, END);
  const table = conventionsTable();
  // UPDATE_DOCS=1 writes it, so that nobody has to by hand.
  if (process.env["UPDATE_DOCS"] === "1")
    writeFileSync(
      file,
      text.replace(START + written + END, () => START + table + END),
    );
  else expect(written).toBe(table);
  // One row for each of the 39 folders of captures, and two lines of head.
  expect(table.split("\n")).toHaveLength(41);
  expect(unknownRemarks()).toEqual([]);
});

test("every convention has its row, in order, under the name that it is exported by", () => {
  const section = page().split("\n## What is read")[1]?.split("\n## ")[0] ?? "";
  const rows = [...section.matchAll(/^\| `([\w-]+)` \| `(\w+)` \|/gm)].map(([, name, key]) => [name, key]);
  expect(rows).toEqual(Object.entries(CONVENTIONS).map(([key, { name }]) => [name, key]));
  expect(rows).toHaveLength(DEFAULT_CONVENTIONS.length);
});

test("the order of precedence is the one of the code", () => {
  const section = page().split("\n## Which dialect says the kind")[1]?.split("\n## ")[0] ?? "";
  const listed = [...section.matchAll(/^(\d+)\. `(\w+)`:/gm)].map(([, number, name]) => [name, Number(number)]);
  expect(listed).toEqual(Object.entries(PRECEDENCE));
});

describe("the recipe's convention", () => {
  const SAMPLES = captures()
    .filter((_, index) => index % 4 === 0)
    .flatMap((capture) => viewsOfOtlp(captureText(capture)));

  conventionContract(acme, SAMPLES);

  test("is the one in the page", () => {
    const source = readFileSync(new URL("acme.ts", import.meta.url), "utf8").replaceAll(
      "../../src/index.ts",
      "otel-trajectory",
    );
    expect(page()).toContain(`\`\`\`ts\n${source}\`\`\``);
  });

  test("reads its spans", () => {
    const span = { attributes: { "acme.act": "call", "acme.tool": "search", "acme.args": '{"q":1}' } };
    expect(kindAndName(readOne(span, { conventions: [...DEFAULT_CONVENTIONS, acme] }))).toBe("TOOL search");
    expect(kindAndName(readOne(span))).toBe("none");
  });
});
