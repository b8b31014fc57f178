import { describe, expect, test } from "vitest";
import { holdsMoreValues } from "../../src/wire/value-limit.ts";

describe("values of a JSON text", () => {
  test.each([
    ["a list and its further members", "[1, 2,   3]", 3],
    ["objects and lists in one another", '{"a": [{"b": [[]]}]}', 5],
    ["texts, whatever is in them", String.raw`["[[[,,,{{{", "\\", "\",[{", ",\\\"[{"]`, 4],
    ["none, but a long text", `"${"[{,".repeat(9)}"`, 0],
    ["more than it closes", "[[[[[[[[", 8],
  ])("%s", (_, text, values) => {
    const json = Buffer.from(text);
    expect(holdsMoreValues(json, values)).toBe(false);
    if (values > 0) expect(holdsMoreValues(json, values - 1)).toBe(true);
  });
});
