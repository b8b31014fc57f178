import { afterAll, expect, test } from "vitest";
import { stepAccuracy } from "../../src/index.ts";
import { CommandFolder, rowsOf } from "../cli/command.ts";
import { agentRun, request } from "../cli/otlp.ts";
import { captures, captureText } from "../support/captures.ts";
import { protobufOf } from "../support/otlp-protobuf.ts";
import { until } from "../support/telemetry.ts";
import { ask, PROTOBUF_TYPE, post, start } from "./support.ts";

const folder = new CommandFolder();
afterAll(() => folder.remove());

/** The captures that name a session. */
const REQUESTS = captures()
  .filter((capture) => JSON.stringify(capture.expect).includes('"session_id":"'))
  .flatMap((capture) => rowsOf(captureText(capture)));

test("captured sessions give what they give from the file", async () => {
  folder.lines("all.jsonl", REQUESTS);
  const rule = { unit: "session", expected_steps: ["get_weather", ["search", "lookup_order"], "answer"] };
  folder.write("expectations.json", JSON.stringify({ expectations: [rule] }));
  const args = ["--expectations", "expectations.json", "--format", "jsonl", "--quiet", "--unit", "session"];
  const { stdout } = await folder.run(["score", "all.jsonl", ...args, "--scorers", "step_accuracy"]);
  const steps = await folder.run(["steps", "all.jsonl", "--unit", "session", "--format", "jsonl", "--quiet"]);
  // Live, a trace that names no session has none.
  const named = new Set(rowsOf(steps.stdout).flatMap((row) => (row["session_id"] === undefined ? [] : row["unit_id"])));
  const summary = (rows: readonly unknown[]): unknown[] =>
    (rows as Record<string, unknown>[])
      .filter((row) => named.has(row["unit_id"]) && row["reason"] !== "kinds_missing")
      .map(({ unit_id, status, score, reason }) => ({ unit_id, status, score, reason }))
      .sort((a, b) => (`${a.unit_id}` < `${b.unit_id}` ? -1 : 1));
  const fromFile = summary(rowsOf(stdout));
  expect(fromFile.length).toBeGreaterThanOrEqual(12);

  const service = await start({
    expectations: `${folder.path}/expectations.json`,
    engine: { scorers: [stepAccuracy({ unit: "session" })] },
  });
  for (const each of REQUESTS) {
    expect((await ask(service.port, { headers: PROTOBUF_TYPE, body: protobufOf(each) })).status).toBe(200);
  }
  expect(await service.stop()).toBe(true);
  expect(summary(service.rows())).toEqual(fromFile);
});

test("a late span scores its trace again, under the same id", async () => {
  const service = await start({ engine: { idleMillis: 20, lateSpanMillis: 20 } });
  const spans = agentRun("rev", ["a", "b"], { "aip.expected_steps": '["a","b"]' });
  await post(service.port, request(spans.slice(0, 2)));
  await until(() => service.rows().length === 1);
  await post(service.port, request(spans.slice(2)));
  await until(() => service.rows().length === 2);
  await service.stop();
  const [first, second] = service.rows();
  expect([first?.score, first?.revision, second?.score, second?.revision]).toEqual([0.5, 0, 1, 1]);
  expect(second?.evaluation_id).toBe(first?.evaluation_id);
});
