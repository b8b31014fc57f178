import { describe, expect, test } from "vitest";
import { scanTextPath } from "../../src/conventions/json.ts";

describe("a text at a path, without parsing", () => {
  test.each<readonly [name: string, json: string, path: readonly string[], want: string | undefined]>([
    ["at the top", '{"a":"x"}', ["a"], "x"],
    ["below", '{"k":{"a":"x"}}', ["k", "a"], "x"],
    ["after others of the same name", '{"a":"1","k":{"z":{"a":"2"},"a":"x"}}', ["k", "a"], "x"],
    ["not inside of lists", '{"k":[{"a":"1"}],"a":"2"}', ["k", "a"], undefined],
    ["not inside of texts", '{"k":{"t":"{\\"a\\":\\"1\\"}","a":"x"}}', ["k", "a"], "x"],
    ["a path that is left and comes again", '{"k":{"b":"1"},"k":{"a":"x"}}', ["k", "a"], "x"],
    ["a root that is a list", '[{"a":"x"}]', ["a"], undefined],
    ["no text there", '{"a":5}', ["a"], undefined],
    ["not there", '{"b":"x"}', ["a"], undefined],
    ["escapes", '{"a":"x\\n\\u0041"}', ["a"], "x\nA"],
    ["spaces", ' { "k" : { "a" : "x" } } ', ["k", "a"], "x"],
    ["cut short", '{"a":"x', ["a"], undefined],
    ["unbalanced", '}}]]{"a":"x"}', ["a"], undefined],
    ["no JSON", "a: x", ["a"], undefined],
    ["nothing", "", ["a"], undefined],
  ])("%s", (_, json, path, want) => {
    expect(scanTextPath(json, path)).toBe(want);
  });

  test("long and deep texts cost one pass, and too long ones nothing", () => {
    expect(scanTextPath(`${'{"k":'.repeat(10_000)}{"a":"x"}`, ["k", "a"])).toBeUndefined();
    expect(scanTextPath(`{"t":"${"y".repeat(70_000)}","a":"x"}`, ["a"])).toBeUndefined();
  });
});
