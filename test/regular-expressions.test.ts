import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, test } from "vitest";

// recheck proves the growth of a pattern's time with automata, for searching too, where others count nested stars; what
// it finds comes with a text that shows it. Its own JavaScript will do: no process is started.
process.env["RECHECK_BACKEND"] = "pure";
const { checkSync } = await import("recheck");

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));
const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

/** Every regular expression literal of a file, by its syntax tree: texts and comments that look like one are none. */
function patternsOf(file: string): Pattern[] {
  const patterns: Pattern[] = [];
  const pending: unknown[] = [parseAst(readFileSync(join(SOURCES, file), "utf8"), { lang: "ts" })];
  for (let node = pending.pop(); pending.length > 0 || node !== undefined; node = pending.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const { regex, type, callee } = node as {
      regex?: { pattern: string; flags: string };
      type?: string;
      callee?: object;
    };
    if (regex !== undefined) patterns.push({ file, source: regex.pattern, flags: regex.flags });
    const builds = type === "NewExpression" || type === "CallExpression";
    if (builds && (callee as { name?: string }).name === "RegExp")
      throw new Error(`${file} builds a RegExp at run time`);
    for (const child of Object.values(node)) pending.push(child);
  }
  return patterns;
}

const patterns = files.flatMap(patternsOf);
const distinct = [...new Map(patterns.map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern])).entries()];

describe("no regular expression takes more than linear time", () => {
  test("all are found", () => {
    expect(files.length).toBeGreaterThan(200);
    expect(distinct.length).toBeGreaterThan(25);
  });

  test("the checker finds what it is here to find", () => {
    expect(checkSync("\\s*\\n\\s*", "g")).toMatchObject({ status: "vulnerable", complexity: { type: "polynomial" } });
    expect(checkSync("^(a|a)*$", "")).toMatchObject({ status: "vulnerable", complexity: { type: "exponential" } });
  });

  test.each(distinct)("%s", (_, { file, source, flags }) => {
    // On a busy machine the longest pattern takes more than the ten seconds that are the checker's own limit.
    const { status, ...found } = checkSync(source, flags, { timeout: 25_000 });
    expect({ file, status, found: status === "safe" ? undefined : found }).toEqual({ file, status: "safe" });
  });
});
