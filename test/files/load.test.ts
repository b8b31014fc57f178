import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadDocument, loadExpectationFile, MAX_FILE_BYTES } from "../../src/files/load.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "otel-trajectory-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function load(name: string, text: string) {
  const path = join(folder, name);
  await writeFile(path, text);
  return loadDocument(path, name);
}

/** Nine levels of ten aliases each: a thousand million copies. */
const laughs = [
  "a0: &a0 [x]",
  ...Array.from(
    { length: 9 },
    (_, level) => `a${level + 1}: &a${level + 1} [${Array(10).fill(`*a${level}`).join(", ")}]`,
  ),
].join("\n");

describe("documents", () => {
  const read: [string, string, string, unknown][] = [
    ["YAML", "a.yaml", "a: [x, [y]]", { a: ["x", ["y"]] }],
    ["JSON", "a.json", '{"a":["x"]}', { a: ["x"] }],
    ["JSON with a byte order mark", "b.json", '\uFEFF{"a":1}', { a: 1 }],
    ["JSON in a YAML file", "b.yaml", '{"a":["x"]}', { a: ["x"] }],
    ["nothing", "c.yaml", "", null],
    ["keys that look like numbers are text", "d.yaml", "attributes: { 1: x }", { attributes: { "1": "x" } }],
    ["a few aliases", "e.yaml", "a: &a [x]\nb: *a", { a: ["x"], b: ["x"] }],
    ["dates stay text", "f.yaml", "a: 2026-01-01", { a: "2026-01-01" }],
  ];
  test.each(read)("%s", async (_name, file, text, value) => {
    const loaded = await load(file, text);
    expect(loaded.ok ? (loaded.value ?? null) : loaded.message).toEqual(value);
  });

  const refused: [string, string, string, string][] = [
    ["YAML that does not parse, with its place", "a.yaml", "a: [x\nb: 1", "a.yaml: "],
    ["a key twice", "b.yaml", "a: 1\na: 2", "b.yaml: Map keys must be unique (line 2, column 1)"],
    ["several documents", "c.yaml", "a: 1\n---\nb: 2", "c.yaml: one document is expected, got several"],
    ["JSON that does not parse", "d.json", '{"a": [', "d.json: "],
    ["aliases that unfold without end", "e.yaml", laughs, "e.yaml: Excessive alias count"],
    ["deep sequences", "f.yaml", `${"- ".repeat(100_000)}a`, "f.yaml: at most 100 levels"],
    ["deep keys", "g.yaml", `${"? ".repeat(100_000)}a`, "g.yaml: at most 100 levels"],
    ["deep sequences with anchors", "h.yaml", `${"- &a ".repeat(100_000)}a`, "h.yaml: at most 100 levels"],
    ["deep brackets", "i.yaml", "[".repeat(20_000), "i.yaml: at most 100 levels"],
    [
      "deep indentation",
      "j.yaml",
      Array.from({ length: 500 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
      "j.yaml: at most 100 levels",
    ],
    [
      "a file that is too large",
      "k.yaml",
      "#".repeat(MAX_FILE_BYTES + 1),
      `at most ${MAX_FILE_BYTES} bytes are allowed, got ${MAX_FILE_BYTES + 1}`,
    ],
  ];
  test.each(refused)("refuses %s", async (_name, file, text, message) => {
    const loaded = await load(file, text);
    expect(loaded.ok ? "was read" : loaded.message).toContain(message);
    expect(loaded.ok ? "" : loaded.message).not.toContain("\n");
  });

  test("refuses a folder and a file that is not there", async () => {
    const inner = join(folder, "inner");
    await mkdir(inner);
    expect(await loadDocument(inner, "inner")).toMatchObject({
      message: expect.stringContaining("inner: cannot be read: EISDIR"),
    });
    expect(await loadDocument(join(folder, "none"), "none")).toMatchObject({
      message: expect.stringContaining("none: cannot be read: ENOENT"),
    });
  });
});

describe("expectations", () => {
  test("rules come back as written", async () => {
    const path = join(folder, "good.yaml");
    await writeFile(
      path,
      "expectations:\n  - match: { agent: x, attributes: { task.type: refund } }\n    expected_steps: [a, [b, c]]\n",
    );
    expect(await loadExpectationFile(path)).toEqual({
      ok: true,
      rules: [{ match: { agent: "x", attributes: { "task.type": "refund" } }, expected_steps: ["a", ["b", "c"]] }],
    });
  });

  test("a polluting key is refused and pollutes nothing", async () => {
    const path = join(folder, "polluted.yaml");
    await writeFile(path, "expectations:\n  - __proto__: { polluted: true }\n    expected_steps: [a]\n");
    const loaded = await loadExpectationFile(path, "polluted.yaml");
    expect(loaded).toEqual({
      ok: false,
      problems: ['polluted.yaml: expectations[0]: the key "__proto__" is not allowed'],
    });
    expect("polluted" in {}).toBe(false);
  });
});
