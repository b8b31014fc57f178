import { describe, expect, test } from "vitest";
import type { TrajectoryOptions } from "../../src/model/trajectory.ts";
import { agent, assembled, llm, type Sketch, shortSteps, shortTools, tool } from "../support/spans.ts";

const root = agent("root", { start: 0, end: 100 });
const mcpCall = { "mcp.method.name": "tools/call" };

describe("echoes of one call", () => {
  test.each<readonly [name: string, spans: readonly Sketch[], counted: readonly string[]]>([
    [
      "one call id, nested: the outermost counts, though the inner one says to be earlier",
      [tool("in", { parent: "out", call: "c", start: 1 }), tool("out", { parent: "root", call: "c", start: 2 }), root],
      ["out"],
    ],
    [
      "one call id, side by side: the earliest counts",
      [tool("b", { parent: "root", call: "c", start: 2 }), tool("a", { parent: "root", call: "c", start: 1 }), root],
      ["a"],
    ],
    [
      "nested and side by side: the earliest of the outermost",
      [
        tool("x", { parent: "root", call: "c", start: 5 }),
        tool("x1", { parent: "x", call: "c", start: 1 }),
        tool("y", { parent: "root", call: "c", start: 6 }),
        root,
      ],
      ["x"],
    ],
    [
      "without call ids two calls of one tool stay two",
      [tool("a", { parent: "root", named: "t", start: 1 }), tool("b", { parent: "root", named: "t", start: 2 }), root],
      ["a", "b"],
    ],
    [
      "an MCP client span in a same-named tool",
      [
        tool("out", { parent: "root", named: "fetch-page", start: 1 }),
        tool("in", { parent: "out", named: "Fetch_Page", start: 2, attributes: mcpCall }),
        root,
      ],
      ["out"],
    ],
    [
      "the outer one may be the MCP span",
      [
        tool("out", { parent: "root", named: "t", start: 1, attributes: mcpCall }),
        tool("in", { parent: "out", named: "t", start: 2 }),
        root,
      ],
      ["out"],
    ],
    [
      "a span of no kind between does not matter",
      [
        tool("out", { parent: "root", named: "t", start: 1 }),
        { id: "http", parent: "out", start: 2 },
        tool("in", { parent: "http", named: "t", start: 3, attributes: mcpCall }),
        root,
      ],
      ["out"],
    ],
    [
      "a span with a kind between makes it another call",
      [
        tool("out", { parent: "root", named: "t", start: 1 }),
        llm("l", { parent: "out", start: 2 }),
        tool("in", { parent: "l", named: "t", start: 3, attributes: mcpCall }),
        root,
      ],
      ["out", "in"],
    ],
    [
      "an MCP span of another name is another call",
      [
        tool("out", { parent: "root", named: "t", start: 1 }),
        tool("in", { parent: "out", named: "u", start: 2, attributes: mcpCall }),
        root,
      ],
      ["out", "in"],
    ],
    [
      "call ids and nesting join into one act",
      [
        tool("a", { parent: "root", named: "t", call: "c", start: 1 }),
        tool("b", { parent: "root", named: "t", call: "c", start: 2 }),
        tool("b1", { parent: "b", named: "t", start: 3, attributes: mcpCall }),
        root,
      ],
      ["a"],
    ],
  ])("%s", (_, spans, counted) => {
    expect(assembled(spans).tools.map(({ step }) => step.span_id)).toEqual(counted);
  });

  test("arguments and failure that the counted span lacks come from its echoes", () => {
    const spans = [
      tool("out", { parent: "root", call: "c", start: 1 }),
      tool("in", {
        parent: "out",
        call: "c",
        start: 2,
        status: "ERROR",
        attributes: { "gen_ai.tool.call.arguments": '{"a":1}' },
      }),
      root,
    ];
    expect(assembled(spans).tools[0]?.step).toMatchObject({
      span_id: "out",
      args: { a: 1 },
      args_status: "ok",
      failed: true,
    });
  });

  test("its own readable arguments stay; unreadable ones give way to readable ones", () => {
    const read = (own: string): unknown =>
      assembled([
        tool("out", { parent: "root", call: "c", start: 1, attributes: { "gen_ai.tool.call.arguments": own } }),
        tool("in", { parent: "out", call: "c", start: 2, attributes: { "gen_ai.tool.call.arguments": '{"b":2}' } }),
        root,
      ]).tools[0]?.step.args;
    expect(read('{"a":1}')).toEqual({ a: 1 });
    expect(read('{"a":')).toEqual({ b: 2 });
  });
});

describe("agents within agents", () => {
  test.each<readonly [name: string, spans: readonly Sketch[], steps: readonly string[]]>([
    [
      "of one identity, nothing with a kind between: one act",
      [root, agent("a", { parent: "root", start: 1 }), agent("a2", { parent: "a", named: "a", start: 2 })],
      ["[a]"],
    ],
    [
      "three times nested is still one act",
      [
        root,
        agent("a", { parent: "root", start: 1 }),
        agent("a2", { parent: "a", named: "a", start: 2 }),
        agent("a3", { parent: "a2", named: "a", start: 3 }),
      ],
      ["[a]"],
    ],
    [
      "a tool between: two acts",
      [
        root,
        agent("a", { parent: "root", start: 1 }),
        tool("t", { parent: "a", start: 2 }),
        agent("a2", { parent: "t", named: "a", start: 3 }),
      ],
      ["[a]", "t", "[a]"],
    ],
    [
      "of another identity: two acts",
      [root, agent("a", { parent: "root", start: 1 }), agent("b", { parent: "a", start: 2 })],
      ["[a]", "[b]"],
    ],
  ])("%s", (_, spans, steps) => {
    expect(shortSteps(assembled(spans))).toEqual(steps);
  });
});

describe("delegations", () => {
  const handOff = (toolName: string, agentName: string): readonly Sketch[] => [
    root,
    tool("h", { parent: "root", named: toolName, start: 1 }),
    agent("w", { parent: "root", named: agentName, start: 5 }),
  ];
  const asTool = (toolName: string, between: readonly Sketch[] = []): readonly Sketch[] => [
    root,
    tool("d", { parent: "root", named: toolName, start: 1 }),
    ...between,
    agent("s", { parent: between.at(-1)?.id ?? "d", named: "data_analyst", start: 5 }),
    tool("other", { parent: "d", start: 7 }),
  ];
  const fold: TrajectoryOptions = { delegations: "fold" };
  const keep: TrajectoryOptions = { delegations: "keep" };

  test.each<
    readonly [
      name: string,
      spans: readonly Sketch[],
      options: TrajectoryOptions,
      steps: readonly string[],
      tools: readonly string[],
    ]
  >([
    [
      "a same-named tool folds, its other children stay",
      asTool("Data-Analyst"),
      {},
      ["[data_analyst]", "other"],
      ["Data-Analyst", "other"],
    ],
    [
      "a framework's prefix aside",
      asTool("agent-data_analyst"),
      {},
      ["[data_analyst]", "other"],
      ["agent-data_analyst", "other"],
    ],
    ["another name stays", asTool("task"), {}, ["task", "[data_analyst]", "other"], ["task", "other"]],
    ["keep", asTool("data_analyst"), keep, ["data_analyst", "[data_analyst]", "other"], ["data_analyst", "other"]],
    [
      "a model call between does not matter",
      asTool("data_analyst", [llm("l", { parent: "d", start: 2 })]),
      {},
      ["[data_analyst]", "other"],
      ["data_analyst", "other"],
    ],
    [
      "an agent of another name between does",
      asTool("data_analyst", [agent("x", { parent: "d", start: 2 })]),
      {},
      ["data_analyst", "[x]", "[data_analyst]", "other"],
      ["data_analyst", "other"],
    ],
    [
      "a hand-off stays by default",
      handOff("transfer_to_writer", "Writer"),
      {},
      ["transfer_to_writer", "[Writer]"],
      ["transfer_to_writer"],
    ],
    [
      "fold drops it when the next agent is the one",
      handOff("transfer_to_writer", "Writer"),
      fold,
      ["[Writer]"],
      ["transfer_to_writer"],
    ],
    [
      "fold drops handoff_to_X too",
      handOff("handoff_to_big-writer", "big_writer"),
      fold,
      ["[big_writer]"],
      ["handoff_to_big-writer"],
    ],
    [
      "fold keeps a hand-off to somebody else",
      handOff("transfer_to_editor", "Writer"),
      fold,
      ["transfer_to_editor", "[Writer]"],
      ["transfer_to_editor"],
    ],
    [
      "keep keeps hand-offs",
      handOff("transfer_to_writer", "Writer"),
      keep,
      ["transfer_to_writer", "[Writer]"],
      ["transfer_to_writer"],
    ],
  ])("%s", (_, spans, options, steps, tools) => {
    const trace = assembled(spans, options);
    expect(shortSteps(trace)).toEqual(steps);
    expect(shortTools(trace)).toEqual(tools);
  });

  test("fold looks at the next agent only", () => {
    const spans = [
      ...handOff("transfer_to_writer", "other"),
      agent("z", { parent: "root", named: "writer", start: 9 }),
    ];
    expect(shortSteps(assembled(spans, fold))).toEqual(["transfer_to_writer", "[other]", "[writer]"]);
  });

  test("a call that an MCP span repeats folds as well", () => {
    const spans = [
      root,
      tool("d", { parent: "root", named: "helper", start: 1 }),
      tool("m", { parent: "d", named: "helper", start: 2, attributes: mcpCall }),
      agent("s", { parent: "m", named: "helper", start: 3 }),
    ];
    expect(shortSteps(assembled(spans))).toEqual(["[helper]"]);
  });
});

describe("failed calls", () => {
  const spans = [
    root,
    tool("1", { parent: "root", named: "get_rate", start: 1, status: "ERROR" }),
    tool("2", { parent: "root", named: "get-rate", start: 2, status: "ERROR" }),
    tool("3", { parent: "root", named: "convert", start: 3, status: "ERROR" }),
    tool("4", { parent: "root", named: "get_rate", start: 4 }),
  ];
  test.each<readonly [option: NonNullable<TrajectoryOptions["failedCalls"]>, steps: readonly string[]]>([
    ["count", ["get_rate!", "get-rate!", "convert!", "get_rate"]],
    ["ignore", ["get_rate"]],
    // The first is directly followed by a step of its name; the second and the third are not.
    ["collapse", ["get-rate!", "convert!", "get_rate"]],
  ])("%s", (failedCalls, steps) => {
    const trace = assembled(spans, { failedCalls });
    expect(shortSteps(trace)).toEqual(steps);
    expect(shortTools(trace)).toEqual(steps);
  });

  test("dropping every step brings in no embedded calls", () => {
    const failed = [
      root,
      llm("l", { parent: "root", start: 1, calls: [{ name: "search" }] }),
      tool("t", { parent: "root", start: 2, status: "ERROR" }),
    ];
    expect(assembled(failed, { failedCalls: "ignore" })).toMatchObject({ steps: [], tools: [], unread: [] });
  });
});
