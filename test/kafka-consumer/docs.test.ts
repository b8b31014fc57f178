import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULT_CONSUME_LIMITS } from "../../src/kafka/options.ts";
import { CommandFolder } from "../cli/command.ts";

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const page = read("docs/kafka.md");
const rows = [...page.matchAll(/^\| (.+?) \| (.*?) \|/gm)].map(([, name = "", value = ""]) => ({ name, value }));

test("docs/kafka.md has every limit with its default", () => {
  const limits = Object.entries(DEFAULT_CONSUME_LIMITS).map(([name, value]) => [`\`${name}\``, value] as const);
  expect(limits.length).toBeGreaterThan(5);
  for (const [name, value] of limits) {
    const row = rows.find((each) => each.name === name);
    expect([name, Number(row?.value.replaceAll(" ", ""))]).toEqual([name, value]);
  }
});

test("and every option of the command", async () => {
  const folder = new CommandFolder();
  const { stdout } = await folder.run(["consume", "--help"]);
  folder.remove();
  const options = [...stdout.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, name = ""]) => name);
  expect(options.length).toBeGreaterThan(20);
  const named = rows.map(({ name }) => name).join(" ");
  expect(options.filter((name) => name !== "--help" && !named.includes(`\`${name}\``))).toEqual([]);
});

test("and every metric of consume", () => {
  const names = [...read("src/kafka/consume-metrics.ts").matchAll(/(?:counter|level)\(\s*"([a-z_.]+)"/g)].map(
    ([, name = ""]) => name,
  );
  expect(names.length).toBeGreaterThan(9);
  const told = rows.flatMap(({ name }) => name.match(/[a-z][a-z_.]+/g) ?? []).join(" ");
  expect(names.filter((name) => !told.includes(name))).toEqual([]);
});
