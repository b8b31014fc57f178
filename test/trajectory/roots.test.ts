import { describe, expect, test } from "vitest";
import type { TrajectoryOptions } from "../../src/model/trajectory.ts";
import { agent, assembled, llm, type Sketch, shortSteps, shortTools, tool } from "../support/spans.ts";

type Row = readonly [name: string, spans: readonly Sketch[], steps: readonly string[], entry: string | undefined];

const server: Sketch = { id: "h", name: "POST /chat", span_kind: "SERVER", start: 0, end: 100 };

describe("the entry agent", () => {
  test.each<Row>([
    ["the only agent without a parent", [agent("a"), tool("t", { parent: "a", start: 1 })], ["t"], "a"],
    [
      "the only agent without a parent, even beside a parentless tool",
      [agent("a"), tool("t", { start: 1 }), tool("u", { parent: "a", start: 2 })],
      ["t", "u"],
      "a",
    ],
    [
      "an agent beneath a web server's span",
      [server, agent("a", { parent: "h", start: 1 }), tool("t", { parent: "a", start: 2 })],
      ["t"],
      "a",
    ],
    [
      "several runs of one agent",
      [server, agent("a1", { parent: "h", named: "a", start: 1 }), agent("a2", { parent: "h", named: "a", start: 2 })],
      [],
      "a",
    ],
    [
      "two parentless runs of one agent",
      [agent("a1", { named: "a", start: 1 }), agent("a2", { named: "a", start: 2 })],
      [],
      "a",
    ],
    [
      "agents of two identities are all steps",
      [server, agent("a", { parent: "h", start: 1 }), agent("b", { parent: "h", start: 2 })],
      ["[a]", "[b]"],
      undefined,
    ],
    [
      "an outermost tool makes every agent a step",
      [server, tool("t", { parent: "h", start: 1 }), agent("a", { parent: "h", start: 2 })],
      ["t", "[a]"],
      undefined,
    ],
    [
      "an outermost span that merely echoes a call within the agent is no tool of its own",
      [
        server,
        agent("a", { parent: "h", start: 1 }),
        tool("t", { parent: "a", start: 2, call: "c1" }),
        tool("echo", { parent: "h", named: "t", start: 3, call: "c1" }),
      ],
      ["t"],
      "a",
    ],
    [
      "an LLM span above or beside changes nothing",
      [
        server,
        llm("l", { parent: "h", start: 1 }),
        agent("a", { parent: "l", start: 2 }),
        tool("t", { parent: "a", start: 3 }),
      ],
      ["t"],
      "a",
    ],
    [
      "a parent in another process: the agent is outermost here",
      [agent("a", { parent: "far", remote: true }), tool("t", { parent: "a", start: 1 })],
      ["t"],
      "a",
    ],
    ["no agent at all", [server, tool("t", { parent: "h", start: 1 })], ["t"], undefined],
    [
      "names compare to the letter",
      [
        server,
        agent("1", { parent: "h", named: "bot", start: 1 }),
        agent("2", { parent: "h", named: "Bot", start: 2 }),
      ],
      ["[bot]", "[Bot]"],
      undefined,
    ],
  ])("%s", (_, spans, steps, entry) => {
    const trace = assembled(spans);
    expect(shortSteps(trace)).toEqual(steps);
    expect(trace.entry_agent?.name).toBe(entry);
  });
});

describe("agents that name none", () => {
  test.each<Row>([
    [
      "a nameless root stands for the first named agent beneath",
      [
        agent("r", { named: "" }),
        agent("b", { parent: "r", start: 5 }),
        agent("a", { parent: "r", start: 1 }),
        tool("t", { parent: "a", start: 2 }),
      ],
      ["t", "[b]"],
      "a",
    ],
    [
      "not beyond a tool",
      [agent("r", { named: "" }), tool("t", { parent: "r", start: 1 }), agent("a", { parent: "t", start: 2 })],
      ["t", "[a]"],
      "invoke_agent",
    ],
    [
      "not beyond an LLM span",
      [agent("r", { named: "" }), llm("l", { parent: "r", start: 1 }), agent("a", { parent: "l", start: 2 })],
      ["[a]"],
      "invoke_agent",
    ],
    [
      "runs behind a server share the identity that they stand for",
      [
        server,
        agent("r1", { parent: "h", named: "", start: 1 }),
        agent("a1", { parent: "r1", named: "a", start: 2 }),
        agent("r2", { parent: "h", named: "", start: 3 }),
        agent("a2", { parent: "r2", named: "a", start: 4 }),
      ],
      [],
      "a",
    ],
    [
      "runs that stand for two agents are a pipeline of those two",
      [
        server,
        agent("r1", { parent: "h", named: "", start: 1 }),
        agent("a", { parent: "r1", start: 2 }),
        agent("r2", { parent: "h", named: "", start: 3 }),
        agent("b", { parent: "r2", start: 4 }),
      ],
      ["[a]", "[b]"],
      undefined,
    ],
    [
      "beneath a tool or an agent it is no step, and is looked through",
      [
        agent("r"),
        agent("n1", { parent: "r", named: "", start: 1 }),
        agent("again", { parent: "n1", named: "r", start: 2 }),
        tool("t", { parent: "n1", start: 3 }),
        agent("n2", { parent: "t", named: "", start: 4 }),
      ],
      ["t"],
      "r",
    ],
  ])("%s", (_, spans, steps, entry) => {
    const trace = assembled(spans);
    expect(shortSteps(trace)).toEqual(steps);
    expect(trace.entry_agent?.name).toBe(entry);
  });
});

describe("root: trace, to the letter", () => {
  const letter: TrajectoryOptions = { root: "trace" };
  test.each<readonly [name: string, spans: readonly Sketch[], steps: readonly string[], tools: readonly string[]]>([
    [
      "the parentless span is no step, of whatever kind",
      [tool("t"), tool("u", { parent: "t", start: 1 })],
      ["u"],
      ["t", "u"],
    ],
    ["several are none", [agent("a"), agent("b", { start: 1 }), tool("t", { parent: "a", start: 2 })], ["t"], ["t"]],
    ["a remote parent is a parent", [agent("a", { parent: "far", remote: true })], ["[a]"], []],
    [
      "a nameless root stands for nobody",
      [agent("r", { named: "" }), agent("a", { parent: "r", start: 1 })],
      ["[a]"],
      [],
    ],
  ])("%s", (_, spans, steps, tools) => {
    const trace = assembled(spans, letter);
    expect(shortSteps(trace)).toEqual(steps);
    expect(shortTools(trace)).toEqual(tools);
  });

  test("the entry agent is found all the same", () => {
    const spans = [server, agent("a", { parent: "h", start: 1 })];
    expect(assembled(spans, letter).entry_agent).toMatchObject({ span_id: "a", name: "a" });
  });
});
