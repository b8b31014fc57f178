import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseExpectations } from "../../src/expectation/parse.ts";
import { manifests } from "../../src/score/manifests.ts";
import { PRESET_NAMES } from "../../src/score/path/presets.ts";

const text = readFileSync(new URL("../../docs/SCORERS.md", import.meta.url), "utf8");
/** Entries by heading. */
const entries = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((entry) => [entry.slice(0, entry.indexOf("\n")), entry]),
);

describe("docs/SCORERS.md", () => {
  const all = manifests();
  test("there are scorers to look for", () => expect(all.length).toBeGreaterThanOrEqual(14));

  test.each(all)("has an entry for $name with every part", ({ name, version, required_columns, entrypoint }) => {
    const entry = entries.get(name.replace(/^agent\./, "")) ?? "";
    expect(entry).toContain(`\`${name}\` ${version}`);
    expect(entry).toContain(`\`${entrypoint.split("#")[1]}(`);
    for (const part of ["**Meaning.**", "**Range.**", "**Example.**", "**Choose it**"]) expect(entry).toContain(part);
    for (const edge of ["nothing expected", "nothing observed", "duplicates", "unread arguments"]) {
      expect(entry).toMatch(new RegExp(`^\\| ${edge} \\| .+ \\|$`, "m"));
    }
    for (const column of required_columns) expect(entry).toContain(`\`${column}\``);
  });

  test.each(all)("is led to $name by the table on top", ({ name }) => {
    const bare = name.replace(/^agent\./, "");
    expect(text).toContain(`[\`${bare}\`](#${bare})`);
  });

  test("names every preset", () => {
    expect(PRESET_NAMES.length).toBeGreaterThanOrEqual(13);
    expect(PRESET_NAMES.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  test("its expectations are read as they stand", () => {
    const blocks = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
    expect(blocks.length).toBeGreaterThanOrEqual(1);
    for (const block of blocks) expect(parseExpectations(parse(block), "")).toMatchObject({ ok: true });
  });
});
