import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { agentRun, request } from "../cli/otlp.ts";
import { until } from "../support/telemetry.ts";
import { COMMAND, launch, type Running } from "./running.ts";
import { post } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-serve-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function serve(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  return launch(process.execPath, [COMMAND, "serve", ...args], { cwd: folder, env });
}

const run = request(agentRun("p", ["a"], { "aip.expected_steps": '["a","b"]' }));

describe("otel-trajectory serve", () => {
  test("scores what it holds on SIGTERM, prints it, and ends with 0", async () => {
    const service = serve(["--port", "0", "--output", "jsonl"]);
    expect((await post(await service.port, run)).status).toBe(200);
    service.child.kill("SIGTERM");
    expect(await service.ended).toBe(0);
    const rows = service.out().trim().split("\n");
    expect(rows).toHaveLength(1);
    expect(JSON.parse(rows[0] as string)).toMatchObject({
      metric: "step_accuracy",
      score: 0.5,
      complete: false,
      incomplete_reasons: ["shutdown"],
      explanation: expect.stringContaining("!! 1: expected b"),
    });
    for (const line of service.log().trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("level");
  });

  test("takes its limits from the configuration, its token from a file, and finishes quiet traces by itself", async () => {
    writeFileSync(join(folder, "token"), "t0ken\n");
    writeFileSync(
      join(folder, "config.yaml"),
      "scorers: { step_accuracy: [{ metric_name: path }, { metric_name: whole, unit: session }] }\nengine: { idleMillis: 50 }\nserve: { maxRequestBytes: 2000 }\n",
    );
    const args = ["--port", "0", "--output", "jsonl", "--config", "config.yaml", "--token-file", "token"];
    const service = serve(args);
    const port = await service.port;
    const authorization = "Bearer t0ken";
    expect((await post(port, run)).status).toBe(401);
    expect((await post(port, { pad: "x".repeat(3_000) }, { authorization })).status).toBe(413);
    expect((await post(port, run, { authorization })).status).toBe(200);
    await until(() => service.out().includes("\n"));
    expect(JSON.parse(service.out())).toMatchObject({ metric: "path", complete: true });
    service.child.kill("SIGINT");
    expect(await service.ended).toBe(0);
  });

  test.each([
    ["the environment asks for none of the traces", [], 0],
    ["the environment asks for none, but the configuration for all", ["--config", "all.yaml"], 1],
  ])("%s", async (_, args, rows) => {
    writeFileSync(join(folder, "all.yaml"), "engine: { sampleRatio: 1 }\n");
    const service = serve(["--port", "0", "--output", "jsonl", ...args], { TRAJECTORY_SAMPLE_RATIO: " 0 " });
    expect((await post(await service.port, run)).status).toBe(200);
    service.child.kill("SIGTERM");
    expect(await service.ended).toBe(0);
    expect(service.out().split("\n").filter(Boolean)).toHaveLength(rows);
  });
});
