import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { AssembledTrace } from "../src/model/assembled.ts";
import { mergeSession } from "../src/trajectory/session.ts";
import { tracesOfViews, viewsOfOtlp } from "./support/read-traces.ts";

// The spans of `npm run verify:frameworks --fixtures`, held to what the same runs are held to live.
const suite = new URL("compat/frameworks/", import.meta.url);
const fixtures = new URL("fixtures/frameworks/", import.meta.url);

interface Framework {
  readonly title: string;
  readonly sessionBy?: string;
}

interface Scenario {
  readonly session?: string;
}

interface Problem {
  readonly kind: string;
  readonly what: string;
}

const { scenariosOf } = (await import(new URL("support/scenarios.mjs", suite).href)) as {
  scenariosOf(framework: Framework): [string, Scenario][];
};
const { compareRuns, compareSession, expectedOf } = (await import(new URL("support/compare.mjs", suite).href)) as {
  expectedOf(id: string, scenario: Scenario, framework: Framework): unknown;
  compareRuns(expected: unknown, runs: readonly unknown[]): Problem[];
  compareSession(expected: unknown, id: string | undefined, runs: readonly unknown[], sessions: unknown[]): Problem[];
};

const folders = readdirSync(suite, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/framework.mjs`, suite)))
  .map(({ name }) => name);
const frameworks = await Promise.all(
  folders.map(async (id) => {
    const { framework } = (await import(new URL(`${id}/framework.mjs`, suite).href)) as { framework: Framework };
    return { id, framework };
  }),
);
const cases = frameworks.flatMap(({ id, framework }) =>
  scenariosOf(framework).map(([name, scenario]) => ({ id, name, framework, scenario })),
);

function runOf({ steps, tools, unread, session_id }: AssembledTrace): Record<string, unknown> {
  return { steps: steps.map(({ step }) => step), tools: tools.map(({ step }) => step), unread, session_id };
}

describe("recorded runs of real frameworks", () => {
  test("every framework and scenario is here", () => {
    expect(frameworks.length).toBeGreaterThanOrEqual(15);
    const files = folders.flatMap((id) => readdirSync(new URL(`${id}/`, fixtures)));
    expect(files).toHaveLength(cases.length);
  });

  test.each(cases)("$id $name", ({ id, name, framework, scenario }) => {
    const file = new URL(`${id}/${name}.otlp.jsonl.gz`, fixtures);
    const session = mergeSession(tracesOfViews(viewsOfOtlp(gunzipSync(readFileSync(file)).toString("utf8"))));
    const expected = expectedOf(name, scenario, framework);
    const runs = session.traces.map(runOf);
    expect(compareRuns(expected, runs)).toEqual([]);
    // Where the session comes from our own `withSession`, it is no attribute of any span.
    const sessionId = framework.sessionBy === undefined ? scenario.session : undefined;
    const sessions = sessionId === undefined ? [] : [{ steps: session.steps.map((step) => step) }];
    expect(compareSession(expected, sessionId, runs, sessions)).toEqual([]);
  });
});
