import { describe, expect, test } from "vitest";
import { type Convention, PRECEDENCE } from "../../src/conventions/convention.ts";
import { createSpanReader } from "../../src/conventions/read-span.ts";
import { captures, captureText } from "../support/captures.ts";
import { readOne } from "../support/read-one.ts";
import { viewsOfOtlp } from "../support/read-traces.ts";
import { viewOf } from "../support/spans.ts";

/** Attributes that count how they are looked at. */
function watched(target: Readonly<Record<string, unknown>>): {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly seen: { keys: number; values: number };
} {
  const seen = { keys: 0, values: 0 };
  const attributes = new Proxy(target, {
    ownKeys(object) {
      seen.keys += 1;
      return Reflect.ownKeys(object);
    },
    get(object, key) {
      seen.values += 1;
      return Reflect.get(object, key);
    },
  });
  return { attributes, seen };
}

describe("a span of no kind", () => {
  test("costs one pass over its keys and no look at any value", () => {
    const { attributes, seen } = watched({ "http.request.method": "GET", "url.full": "https://x", "server.port": 443 });
    const facts = readOne({ name: "GET", parent: "p", attributes });
    expect(facts).toMatchObject({ kind: undefined, facts: undefined, convention: "none", session: undefined });
    expect(seen).toEqual({ keys: 1, values: 0 });
  });

  test("its session id is read", () => {
    expect(readOne({ attributes: { "http.route": "/", "session.id": "s" } }).session).toEqual({ rank: 0, value: "s" });
  });
});

describe("content waits", () => {
  test("nothing is parsed while the span is read", () => {
    const parse = JSON.parse;
    let parsed = 0;
    JSON.parse = (...args: Parameters<typeof parse>) => {
      parsed += 1;
      return parse(...args);
    };
    try {
      const tool = readOne({
        attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": '{"a":1}' },
      });
      const model = readOne({
        attributes: { "gen_ai.operation.name": "chat", "gen_ai.output.messages": '[{"parts":[]}]' },
      });
      expect(parsed).toBe(0);
      tool.facts?.readArgs?.(tool.facts.args?.value);
      model.facts?.readOutput?.();
      expect(parsed).toBe(2);
    } finally {
      JSON.parse = parse;
    }
  });

  test("nested values may change after the span was read", () => {
    const args = { a: 1 };
    const facts = readOne({
      attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": args },
    });
    args.a = 2;
    expect(facts.facts?.args).toEqual({ value: { a: 1 }, cut: false });
  });

  test("maxContentBytes bounds every value", () => {
    const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": '{"a":1}' };
    expect(readOne({ attributes }, { maxContentBytes: 7 }).facts?.args).toEqual({ value: '{"a":1}', cut: false });
    expect(readOne({ attributes }, { maxContentBytes: 6 }).facts?.args).toEqual({ value: undefined, cut: true });
  });

  test("bytes grow with what is held, not with what was cut", () => {
    const bytes = (length: number): number =>
      readOne({
        attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": "x".repeat(length) },
      }).bytes;
    expect(bytes(1_000) - bytes(500)).toBe(1_000);
    expect(bytes(10_000_000)).toBeLessThan(bytes(10));
  });
});

describe("attributes for rules to match on", () => {
  const attributes = { short: "x", number: 1, yes: true, long: "x".repeat(257), list: [1], none: null };
  const kept = { short: "x", number: 1, yes: true };
  test.each<
    readonly [
      name: string,
      keep: "none" | "roots" | "all",
      parent: string,
      localRoot: boolean,
      want: object | undefined,
    ]
  >([
    ["roots: no parent", "roots", "", false, kept],
    ["roots: a parent that is not held here", "roots", "p", true, kept],
    ["roots: other spans", "roots", "p", false, undefined],
    ["all", "all", "p", false, kept],
    ["none", "none", "", true, undefined],
  ])("%s", (_, keepAttributes, parent, localRoot, want) => {
    const facts = createSpanReader({ keepAttributes }).read(viewOf({ id: "s", parent, attributes }), 0, localRoot);
    expect(facts.attributes).toEqual(want);
  });

  test("agents keep theirs, wherever they are", () => {
    const agent = { "gen_ai.operation.name": "invoke_agent", tier: "gold" };
    expect(readOne({ parent: "p", attributes: agent }).attributes).toEqual(agent);
  });

  test("__proto__ is a key like any other", () => {
    const hostile = JSON.parse('{"__proto__":"x","constructor":"y"}');
    expect(Object.keys(readOne({ attributes: hostile }).attributes ?? {})).toEqual(["__proto__", "constructor"]);
  });

  test("at most 128", () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index]));
    expect(Object.keys(readOne({ attributes: many }).attributes ?? {})).toHaveLength(128);
  });
});

describe("own annotations", () => {
  test.each<readonly [name: string, attributes: Readonly<Record<string, unknown>>, want: unknown]>([
    [
      "columns with unit, id and status",
      {
        "aip.expected_steps": '["a"]',
        "aip.expected_unit": "session",
        "aip.expectation.id": "e",
        "aip.expectation.status": "approved",
      },
      { span_id: "s", expected_steps: '["a"]', unit: "session", id: "e", status: "approved" },
    ],
    ["a list of names", { "aip.expected_tools": ["a", "b"] }, { span_id: "s", expected_tools: ["a", "b"] }],
    ["an empty text is there", { "aip.expected_calls": "" }, { span_id: "s", expected_calls: "" }],
    [
      "ill-typed values are passed on",
      { "aip.expected_steps": 5, "aip.expectation.id": {} },
      { span_id: "s", expected_steps: 5, id: "[not a text]" },
    ],
    [
      "too large is not absent",
      { "aip.expected_steps": "x".repeat(70_000) },
      { span_id: "s", expected_steps: "[too large]" },
    ],
    ["no column, no annotation", { "aip.expectation.id": "e" }, undefined],
  ])("%s", (_, attributes, want) => {
    expect(readOne({ attributes }).annotation).toEqual(want);
  });

  test.each<readonly [value: unknown, want: boolean]>([
    [true, true],
    ["true", true],
    [false, false],
    [1, false],
    [undefined, false],
  ])("aip.session.end %j: %s", (value, want) => {
    expect(readOne({ attributes: { "aip.session.end": value } }).session_end).toBe(want);
  });

  test("egress as written; undefined when absent", () => {
    expect(readOne({ attributes: { "aip.egress": "permitted" } }).egress).toBe("permitted");
    expect(readOne({ attributes: { "aip.egress": 7 } }).egress).toBe("invalid");
    expect(readOne({ attributes: { "aip.egress": null } }).egress).toBeUndefined();
    expect(readOne({}).egress).toBeUndefined();
  });
});

describe("hostile spans never throw", () => {
  const throws = (): never => {
    throw new Error("hostile");
  };
  test.each<readonly [name: string, attributes: object]>([
    ["keys that cannot be listed", new Proxy({}, { ownKeys: throws })],
    ["values that cannot be read", new Proxy({ "gen_ai.operation.name": "chat", "session.id": "s" }, { get: throws })],
    ["descriptors that cannot be read", new Proxy({ "aip.expected_steps": "x" }, { getOwnPropertyDescriptor: throws })],
    [
      "a revoked proxy",
      (() => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      })(),
    ],
  ])("%s", (_, attributes) => {
    const facts = readOne({ attributes: attributes as Record<string, unknown> });
    expect(facts).toMatchObject({ trace_id: "t", span_id: "s", session: undefined });
  });

  test("inherited attributes are none", () => {
    const attributes = Object.create({ "aip.span.kind": "TOOL", "session.id": "s", secret: "x" });
    expect(readOne({ attributes })).toMatchObject({ kind: undefined, session: undefined });
    expect(Object.keys(readOne({ attributes }).attributes ?? {})).toEqual([]);
  });
});

describe("other conventions", () => {
  const robot: Convention = {
    name: "robot",
    markers: ["robot.act"],
    scopes: ["robot-sdk"],
    rules: [
      {
        precedence: PRECEDENCE.framework,
        decide: ({ scope_name }) => (scope_name === "robot-sdk" ? "TOOL" : undefined),
      },
    ],
    tool: ({ name }) => ({ name: `robot ${name}` }),
  };

  test("a scope alone makes a span worth asking about", () => {
    const facts = readOne({ scope: "robot-sdk", name: "lift" }, { conventions: [robot] });
    expect(facts).toMatchObject({ kind: "TOOL", convention: "robot", facts: { name: "robot lift" } });
  });

  test("one that throws leaves the span in the tree", () => {
    const broken: Convention = {
      ...robot,
      tool: () => {
        throw new Error("bug");
      },
    };
    const facts = readOne({ scope: "robot-sdk", name: "lift" }, { conventions: [broken] });
    expect(facts).toMatchObject({ kind: undefined, convention: "unreadable", name: "lift" });
  });
});

test("the order of a span's attributes decides nothing", () => {
  const views = captures()
    .slice(0, 12)
    .flatMap((capture) => viewsOfOtlp(captureText(capture)));
  expect(views.length).toBeGreaterThan(80);
  const reader = createSpanReader();
  for (const view of views) {
    const reversed = { ...view, attributes: Object.fromEntries(Object.entries(view.attributes).reverse()) };
    const strip = (facts: ReturnType<typeof reader.read>): unknown => ({
      ...facts,
      facts: { ...facts.facts, readArgs: undefined, readOutput: facts.facts?.readOutput?.() },
    });
    expect(strip(reader.read(reversed, 0))).toEqual(strip(reader.read(view, 0)));
  }
});
