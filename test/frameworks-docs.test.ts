import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../", import.meta.url);
const suite = new URL("compat/frameworks/", import.meta.url);
const page = readFileSync(new URL("docs/frameworks.md", root), "utf8");
const snippets = [...page.matchAll(/^<!-- (test\/\S+?)(?:#(\w+))? -->\n```js\n([\s\S]*?)^```$/gm)].map(
  ([, file = "", region = "", text = ""]) => ({ file, region, text }),
);

/** A file, or what stands between its `docs: <region>` and `docs: end`, moved to the left margin. */
function tested(file: string, region: string): string {
  const text = readFileSync(new URL(file, root), "utf8");
  if (region === "") return text;
  const found = new RegExp(`^ *// docs: ${region}\\n([\\s\\S]*?)^ *// docs: end\\n`, "m").exec(text)?.[1];
  if (found === undefined) throw new Error(`${file} has no region ${region}`);
  const lines = found.split("\n");
  const indent = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join("\n");
}

describe("docs/frameworks.md", () => {
  test("has snippets enough", () => {
    expect(snippets.length).toBeGreaterThanOrEqual(20);
  });

  test.each(snippets)("$file $region is the tested code", ({ file, region, text }) => {
    expect(text).toBe(tested(file, region));
  });

  test("its table has every framework, at the version that the suite installs", () => {
    const ids = readdirSync(suite).filter((id) => existsSync(new URL(`${id}/framework.mjs`, suite)));
    const rows = page.split("\n").filter((line) => /^\| .* \| `[^`]+@[\d.]+` \|/.test(line));
    expect(rows).toHaveLength(ids.length);
    for (const id of ids) {
      const { dependencies } = JSON.parse(readFileSync(new URL(`${id}/package.json`, suite), "utf8"));
      const own = readFileSync(new URL(`${id}/framework.mjs`, suite), "utf8");
      const title = /title: "(.+)"/.exec(own)?.[1];
      const name = /package: "(.+)"/.exec(own)?.[1] ?? "";
      expect(rows.some((row) => row.startsWith(`| ${title} | \`${name}@${dependencies[name]}\` |`))).toBe(true);
    }
  });

  test("nothing in it is wrong", () => {
    expect(page).not.toMatch(/\| (?:WRONG|FAILED)/);
  });
});
