import { Agent } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exactMatch, stepAccuracy, toolF1, toolSelectionAccuracy } from "../../src/index.ts";
import { CommandFolder } from "../cli/command.ts";
import { type Comparable, comparable, REQUESTS, scoredFromFile } from "../support/equality.ts";
import { protobufOf } from "../support/otlp-protobuf.ts";
import { ask, JSON_TYPE, PROTOBUF_TYPE, start } from "./support.ts";

const SCORERS = ["step_accuracy", "tool_selection_accuracy", "exact_match", "tool_f1"];
const folder = new CommandFolder();
afterAll(() => folder.remove());

let fromFile: readonly unknown[] = [];

beforeAll(async () => {
  fromFile = await scoredFromFile(folder, SCORERS);
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
