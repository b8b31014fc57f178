import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, ".tmp/reports-docs");
const page = readFileSync(join(root, "docs/reports.md"), "utf8");
const [block = ""] = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text ?? "");
const runner = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

/** An agent that calls tools in the given order. */
const agentThat = (tools: readonly string[]): string => `
import { context, trace, type Tracer } from "@opentelemetry/api";
export async function supportAgent(_question: string, tracer: Tracer): Promise<void> {
  const attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support_agent" };
  const root = tracer.startSpan("invoke_agent support_agent", { attributes });
  for (const name of ${JSON.stringify(tools)}) {
    const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name };
    tracer.startSpan("execute_tool " + name, { attributes }, trace.setSpan(context.active(), root)).end();
  }
  root.end();
}
`;

/** Runs the page's test, with the sources in place of the built package. */
function run(tools: readonly string[]): Promise<{ code: number; output: string }> {
  writeFileSync(join(folder, "support-agent.ts"), agentThat(tools));
  const options = { cwd: folder, timeout: 60_000, env: { ...process.env, CI: "true", NO_COLOR: "1" } };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [runner, "run", "--config", join(folder, "vitest.config.ts")],
      options,
      (error, out, err) => {
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, output: out + err });
      },
    );
  });
}

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "refund.test.ts"), block);
  const alias = JSON.stringify({ "otel-trajectory/vitest": join(root, "src/vitest/index.ts") });
  writeFileSync(
    join(folder, "vitest.config.ts"),
    `export default { root: ${JSON.stringify(folder)}, resolve: { alias: ${alias} } };\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the test of docs/reports.md", () => {
  test("is there", () => expect(block).toContain("toFollowTrajectory"));

  test("passes for an agent that does what it says", async () => {
    const { code, output } = await run(["authenticate", "fetch_policy", "fetch_order", "issue_refund"]);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain("1 passed");
  }, 60_000);

  test("fails with the diff for one that does not", async () => {
    const { code, output } = await run(["fetch_order", "issue_refund"]);
    expect(code).toBe(1);
    expect(output).toContain("expected the run to follow the trajectory: score 0.5000");
    expect(output).toContain("!! 0:   expected authenticate  actual (none)");
    expect(output).toContain("   1: ┌ expected fetch_order   actual fetch_order");
    expect(output).toContain("!! 2: └ expected fetch_policy  actual (none)");
  }, 60_000);
});
