import { describe, expect, test } from "vitest";
import { createSources, type ExpectationsOption, type SourceTools } from "../../src/expectation/create-sources.ts";
import { fromRules } from "../../src/expectation/from-rules.ts";
import { ManualTimers } from "./manual-timers.ts";
import { requestFor } from "./requests.ts";

const tools: SourceTools = {
  timers: new ManualTimers(),
  timeoutMillis: 100,
  openFile: (path) => fromRules([{ expected_steps: ["file"] }], path),
};
const rule = { expected_steps: ["rule"] };
const answer = { expected_steps: ["function"] };
function lookup() {
  return answer;
}

const taken: [string, ExpectationsOption | undefined, string[], unknown[]][] = [
  ["nothing", undefined, [], []],
  ["a path", "./e.yaml", ["./e.yaml"], ["file"]],
  ["rules", [rule], ["expectations"], ["rule"]],
  ["no rules", [], ["expectations"], [undefined]],
  ["a function", lookup, ["lookup"], ["function"]],
  [
    "a function without a name",
    (
      () => () =>
        answer
    )(),
    ["expectations"],
    ["function"],
  ],
  ["a source of one's own", { name: "mine", find: () => answer }, ["mine"], ["function"]],
  ["a source of ours", fromRules([{ expected_steps: ["ours"] }], "ours"), ["ours"], ["ours"]],
  [
    "a list of each",
    ["./e.yaml", [rule], lookup],
    ["./e.yaml", "expectations[1]", "lookup"],
    ["file", "rule", "function"],
  ],
];

describe("createSources takes", () => {
  test.each(taken)("%s", (_name, input, names, values) => {
    const sources = createSources(input, tools);
    expect(sources.map(({ name }) => name)).toEqual(names);
    const found = sources.map((source) => {
      const column = (source.find(requestFor()) as { expected_steps?: { expectation?: { expected_steps: unknown[] } } })
        .expected_steps;
      return column?.expectation?.expected_steps[0];
    });
    expect(found).toEqual(values);
  });
});

const ALLOWED = "expected a path, a list of expectations, a function, a source, or a list of those";
const refused: [string, unknown, string, string, string][] = [
  ["a number", 3, "invalid_option", "expectations", `expectations: ${ALLOWED}, got 3`],
  ["null", null, "invalid_option", "expectations", `expectations: ${ALLOWED}, got null`],
  [
    "a rule outside of a list",
    rule,
    "invalid_option",
    "expectations",
    `expectations: ${ALLOWED}, got {"expected_steps":["rule"]}`,
  ],
  ["an empty path", "", "invalid_option", "expectations", 'got ""'],
  ["a rule among sources", ["./e.yaml", rule], "invalid_option", "expectations[1]", "expectations[1]: expected a path"],
  [
    "a bad rule",
    [rule, { expected_steps: [1] }],
    "invalid_expectation",
    "expectations[1].expected_steps[0]",
    "expectations[1].expected_steps[0]: must be a name",
  ],
  [
    "a bad rule in a list of a list",
    [lookup, [{ expcted_steps: [] }]],
    "invalid_expectation",
    "expectations[1][0]",
    'expectations[1][0]: unknown key "expcted_steps"',
  ],
];

describe("createSources refuses", () => {
  test.each(refused)("%s", (_name, input, code, path, message) => {
    expect(() => createSources(input as ExpectationsOption, tools)).toThrow(
      expect.objectContaining({ name: "TrajectoryError", code, path, message: expect.stringContaining(message) }),
    );
  });
});

test("later changes of the rules change nothing", () => {
  const rules = [{ expected_steps: ["a"] }];
  const [source] = createSources(rules, tools);
  rules[0]?.expected_steps.push("b");
  expect(source?.find(requestFor())).toMatchObject({ expected_steps: { expectation: { expected_steps: ["a"] } } });
});
