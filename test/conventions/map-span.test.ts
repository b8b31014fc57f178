import { describe, expect, test } from "vitest";
import { CONVENTIONS, DEFAULT_CONVENTIONS } from "../../src/conventions/defaults.ts";
import type { MapSpan } from "../../src/conventions/map-span.ts";
import { createSpanReader } from "../../src/conventions/read-span.ts";
import type { Convention } from "../../src/index.ts";
import { argumentsOf, kindAndName, readOne } from "../support/read-one.ts";
import { llm, type Sketch, tool, viewOf } from "../support/spans.ts";

const plain: Sketch = { id: "s", parent: "p", name: "rpc search", attributes: { "rpc.method": "search" } };

describe("mapSpan", () => {
  test.each<readonly [name: string, mapSpan: MapSpan, span: Sketch, want: string]>([
    ["gives a kind and a name", () => ({ kind: "TOOL", name: "search" }), plain, "TOOL search"],
    ["a name as MCP servers prefix it", () => ({ kind: "TOOL", name: "mcp__lab__open" }), plain, "TOOL open"],
    ["a kind alone: the span's name", () => ({ kind: "AGENT" }), plain, "AGENT rpc search"],
    ["NONE takes a step away", () => ({ kind: "NONE" }), tool("s", { named: "t" }), "none"],
    ["no kind: the conventions decide", () => ({ name: "x" }), tool("s", { named: "t" }), "TOOL t"],
    ["nothing: the conventions decide", () => undefined, tool("s", { named: "t" }), "TOOL t"],
    [
      "goes before aip.span.kind and aip.tool.name",
      () => ({ kind: "TOOL", name: "mine" }),
      { ...plain, attributes: { "aip.span.kind": "AGENT", "aip.tool.name": "theirs" } },
      "TOOL mine",
    ],
    ["what it leaves open is read as ever", () => ({ kind: "TOOL" }), tool("s", { named: "t" }), "TOOL t"],
    [
      "names an agent that would be nameless",
      () => ({ kind: "AGENT", name: "planner" }),
      { ...plain, name: "invoke_agent", attributes: { "gen_ai.operation.name": "invoke_agent" } },
      "AGENT planner",
    ],
  ])("%s", (_, mapSpan, span, want) => {
    expect(kindAndName(readOne(span, { mapSpan }))).toBe(want);
  });

  test("says arguments, call id, failure and session", () => {
    const facts = readOne(plain, {
      mapSpan: () => ({ kind: "TOOL", name: "t", args: { q: 1 }, call_id: "c", failed: true, session_id: "mine" }),
    });
    expect(argumentsOf(facts)).toEqual({ value: { q: 1 }, status: "ok" });
    expect(facts.facts).toMatchObject({ call_id: "c", failed: true, nameless: false });
    expect(facts.session?.value).toBe("mine");
    expect(facts.convention).toBe("map-span");
  });

  test("its session goes before every key", () => {
    const attributes = { "session.id": "theirs" };
    const facts = readOne({ ...plain, attributes }, { mapSpan: () => ({ session_id: "mine" }) });
    expect([facts.session?.value, (facts.session?.rank ?? 0) < 0]).toEqual(["mine", true]);
  });

  test("a failure that it denies is none", () => {
    const failed = tool("s", { status: "ERROR" });
    expect(readOne(failed).facts?.failed).toBe(true);
    expect(readOne(failed, { mapSpan: () => ({ kind: "TOOL", failed: false }) }).facts?.failed).toBe(false);
  });

  test.each<readonly [name: string, mapSpan: unknown]>([
    [
      "throws",
      () => {
        throw new Error("mine");
      },
    ],
    ["answers with a text", () => "TOOL"],
    ["answers with a list", () => []],
    ["answers with an unknown kind", () => ({ kind: "tool" })],
    ["answers with a name that is none", () => ({ kind: "TOOL", name: 5 })],
    ["answers with a call id that is none", () => ({ kind: "TOOL", call_id: {} })],
    ["answers with a failed that is none", () => ({ kind: "TOOL", failed: "yes" })],
    ["answers with a promise", async () => ({ kind: "TOOL" })],
    ["answers with a promise that fails", () => Promise.reject(new Error("late"))],
    [
      "answers with getters that throw",
      () =>
        Object.defineProperty({}, "kind", {
          get() {
            throw new Error("mine");
          },
        }),
    ],
  ])("that %s is counted, and the span is read without it", (_, mapSpan) => {
    const problems: string[] = [];
    const onProblem = (kind: string): void => {
      problems.push(kind);
    };
    const facts = readOne(tool("s", { named: "t" }), { mapSpan: mapSpan as MapSpan, onProblem });
    expect(kindAndName(facts)).toBe("TOOL t");
    expect(problems).toEqual(["map_span"]);
  });

  test("whoever counts problems may throw too", () => {
    const throws = (): never => {
      throw new Error("mine");
    };
    expect(kindAndName(readOne(tool("s"), { mapSpan: throws, onProblem: throws }))).toBe("TOOL s");
  });

  test("with it no span is plain, without it most are", () => {
    const span = { name: plain.name ?? "", attributes: plain.attributes ?? {} };
    expect(createSpanReader().look(span)).toBe(0);
    expect(createSpanReader({ mapSpan: () => undefined }).look(span)).not.toBe(0);
  });
});

/** A dialect as a user would write it. */
const mine: Convention = {
  name: "mine",
  markers: ["my.act"],
  rules: [{ precedence: 4, decide: ({ attributes }) => (attributes["my.act"] === "call" ? "TOOL" : undefined) }],
  tool: ({ attributes }) => ({ name: String(attributes["my.name"]) }),
};
const act: Sketch = { id: "s", attributes: { "my.act": "call", "my.name": "t" } };

describe("conventions", () => {
  test("one of the user's is added", () => {
    expect(kindAndName(readOne(act))).toBe("none");
    expect(kindAndName(readOne(act, { conventions: [...DEFAULT_CONVENTIONS, mine] }))).toBe("TOOL t");
  });

  test("one is removed, by name", () => {
    const conventions = DEFAULT_CONVENTIONS.filter((convention) => convention.name !== "gen-ai");
    expect(kindAndName(readOne(tool("s", { named: "t" }), { conventions }))).toBe("none");
  });

  test("single ones make a list", () => {
    const conventions = [CONVENTIONS.aip, CONVENTIONS.genAi];
    expect(kindAndName(readOne(tool("s", { named: "t" }), { conventions }))).toBe("TOOL t");
  });

  test("the order says where gaps are filled from", () => {
    const gap: Sketch = { id: "s", attributes: { "aip.span.kind": "TOOL", "gen_ai.tool.name": "a", "tool.name": "b" } };
    const { aip, genAi, openInference } = CONVENTIONS;
    expect(kindAndName(readOne(gap, { conventions: [aip, genAi, openInference] }))).toBe("TOOL a");
    expect(kindAndName(readOne(gap, { conventions: [aip, openInference, genAi] }))).toBe("TOOL b");
  });

  test("their number is not limited, and does not change what is read", () => {
    const more = Array.from({ length: 90 }, (_, index) => ({
      ...mine,
      name: `mine-${index}`,
      markers: [`my.${index}`],
    }));
    const conventions = [...more, ...DEFAULT_CONVENTIONS, mine];
    for (const [span, want] of [
      [tool("s", { named: "t" }), "TOOL t"],
      [llm("s"), "LLM chat m"],
      [act, "TOOL t"],
      [plain, "none"],
    ] as const) {
      expect(kindAndName(readOne(span, { conventions }))).toBe(want);
    }
  });

  test("one that throws is counted, and the span stays in the tree", () => {
    const problems: unknown[] = [];
    const throws = (): never => {
      throw new Error("mine");
    };
    const broken: Convention = { ...mine, rules: [{ precedence: 1, decide: throws }] };
    const reader = createSpanReader({
      conventions: [...DEFAULT_CONVENTIONS, broken],
      onProblem: (...problem) => problems.push(problem),
    });
    const facts = reader.read(viewOf(act), 0);
    expect([facts.kind, facts.convention, facts.span_id]).toEqual([undefined, "unreadable", "s"]);
    expect(problems).toEqual([["convention", new Error("mine")]]);
    expect(kindAndName(reader.read(viewOf(tool("x")), 1))).toBe("TOOL x");
  });

  test.each<readonly [name: string, options: object, message: string]>([
    ["no list", { conventions: "gen-ai" }, 'conventions must be a list of conventions, got "gen-ai"'],
    ["no convention", { conventions: [5] }, "conventions[0] must be a convention, got 5"],
    ["no name", { conventions: [{ ...mine, name: "" }] }, 'conventions[0].name must be a text, got ""'],
    [
      "one name twice",
      { conventions: [mine, mine] },
      'conventions[1].name must be a name that no other convention has, got "mine"',
    ],
    [
      "no markers",
      { conventions: [{ ...mine, markers: [1] }] },
      "conventions[0].markers must be a list of keys, got [1]",
    ],
    [
      "no rules",
      { conventions: [{ ...mine, rules: [{}] }] },
      "conventions[0].rules must be a list of { precedence, decide }, got [{}]",
    ],
    ["no hook", { mapSpan: {} }, "mapSpan must be a function, got {}"],
  ])("%s is refused when the reader is built", (_, options, message) => {
    expect(() => createSpanReader(options as never)).toThrow(
      expect.objectContaining({ code: "invalid_option", message }),
    );
  });
});
