import { writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exactMatch, stepAccuracy, toolF1, toolSelectionAccuracy } from "../../src/index.ts";
import { CommandFolder, rowsOf } from "../cli/command.ts";
import { captures, captureText } from "../support/captures.ts";
import { protobufOf } from "../support/otlp-protobuf.ts";
import { ask, JSON_TYPE, PROTOBUF_TYPE, start } from "./support.ts";

const SCORERS = ["step_accuracy", "tool_selection_accuracy", "exact_match", "tool_f1"];
const CAPTURES = captures();
const REQUESTS: readonly unknown[] = CAPTURES.flatMap((capture) => rowsOf(captureText(capture)));
const folder = new CommandFolder();
afterAll(() => folder.remove());

/** What every trace is held to: what its agents did, without the first of it, and with something that none did. */
const EXPECTED = {
  expectations: CAPTURES.flatMap((capture) => {
    const names = capture.truth.map((act) => act.name).slice(1);
    const ids = new Set(captureText(capture).match(/(?<="traceId":\s?")[0-9a-f]{32}(?=")/gi));
    return [...ids].map((id) => ({
      id: capture.file,
      status: "approved",
      match: { trace_id: id.toLowerCase() },
      expected_steps: [...names, "no_such_step"],
      expected_tools: ["no_such_tool", ...names],
    }));
  }),
};

interface Comparable {
  readonly unit_id: string;
  readonly metric: string;
  readonly status: string;
  readonly score?: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What a row of the file and one of the service have in common. Live, results that say nothing are only counted. */
function comparable(rows: readonly Comparable[]): unknown[] {
  return rows
    .filter((row) => !["no_expectation", "kinds_missing"].includes(String((row as { reason?: string }).reason)))
    .map((row) => {
      const { unit_id, metric, version, status, score, label, reason } = row as unknown as Record<string, unknown>;
      const metadata = Object.entries(row.metadata).filter(([, value]) => typeof value === "number");
      return { unit_id, metric, version, status, score, label, reason, metadata: status === "scored" ? metadata : [] };
    })
    .sort((a, b) => (`${a.unit_id} ${a.metric}` < `${b.unit_id} ${b.metric}` ? -1 : 1));
}

let fromFile: unknown[] = [];

beforeAll(async () => {
  folder.lines("all.jsonl", REQUESTS);
  writeFileSync(join(folder.path, "expectations.json"), JSON.stringify(EXPECTED));
  const args = ["score", "all.jsonl", "--expectations", "expectations.json", "--format", "jsonl", "--quiet"];
  const { stdout } = await folder.run([...args, "--scorers", SCORERS.join(",")]);
  fromFile = comparable(rowsOf(stdout) as unknown as Comparable[]);
});

test("there is something to compare", () => {
  expect(REQUESTS.length).toBeGreaterThan(250);
  expect(fromFile.length).toBeGreaterThan(800);
  const scores = new Set(fromFile.map((row) => (row as Comparable).score));
  expect(scores.size).toBeGreaterThan(10);
});

describe("captured spans, sent to the service, give what they give from the file", () => {
  const ways = {
    "json, gzip": {
      headers: { ...JSON_TYPE, "content-encoding": "gzip" },
      body: (value: unknown) => gzipSync(JSON.stringify(value)),
    },
    protobuf: { headers: PROTOBUF_TYPE, body: protobufOf },
  };

  test.each(Object.entries(ways))("%s", async (_, { headers, body }) => {
    const service = await start({
      expectations: join(folder.path, "expectations.json"),
      engine: { scorers: [stepAccuracy(), toolSelectionAccuracy(), exactMatch(), toolF1()] },
    });
    const agent = new Agent({ keepAlive: true });
    for (const request of REQUESTS) {
      const reply = await ask(service.port, { headers, body: body(request), agent });
      expect([reply.status, reply.text]).toEqual([200, headers["content-type"] === "application/json" ? "{}" : ""]);
    }
    expect(await service.stop()).toBe(true);
    agent.destroy();
    expect(comparable(service.rows())).toEqual(fromFile);
  });
});
