import { afterAll, expect, test } from "vitest";
import { CommandFolder } from "./command.ts";

const folder = new CommandFolder();
afterAll(() => folder.remove());
folder.write("rules.yaml", "expectations: 5\n");
folder.write("bad.yaml", "serve: { maxBodies: 3 }\n");
folder.write("worse.yaml", "engine: { idleMillis: soon }\n");
folder.write("empty-token", "\n");

test.each([
  ["no endpoint", [], "set OTEL_EXPORTER_OTLP_ENDPOINT"],
  ["a key without a certificate", ["--output", "jsonl", "--tls-key", "x"], "--tls-cert and --tls-key go together"],
  ["a certificate that is none", ["--output", "jsonl", "--tls-key", "bad.yaml", "--tls-cert", "bad.yaml"], "PEM"],
  ["a token file that is not there", ["--output", "jsonl", "--token-file", "nope"], "nope: cannot be read"],
  ["a token file that holds none", ["--output", "jsonl", "--token-file", "empty-token"], "expected one token"],
  ["spans without OTLP", ["--output", "jsonl", "--spans"], "--spans: only with --output otlp"],
  [
    "expectations that are not there",
    ["--output", "jsonl", "--expectations", "none.yaml"],
    "none.yaml: cannot be read: ENOENT",
  ],
  [
    "broken expectations",
    ["--output", "jsonl", "--expectations", "rules.yaml"],
    "rules.yaml: expectations: must be a list",
  ],
  ["an unknown limit", ["--output", "jsonl", "--config", "bad.yaml"], 'bad.yaml: serve: unknown key "maxBodies"'],
  ["a limit that is no number", ["--output", "jsonl", "--config", "worse.yaml"], "worse.yaml: idleMillis: expected"],
  ["no port", ["--output", "jsonl", "--port", "70000"], "from 0 to 65535"],
  ["an output that is none", ["--output", "csv"], "otlp, jsonl"],
  ["an address of others", ["--output", "jsonl", "--host", "192.0.2.1"], "EADDRNOTAVAIL"],
])("serve with %s: one line, exit 2", async (_, args, message) => {
  const { code, stdout, stderr } = await folder.run(["serve", ...args]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test.each(["lots", "1.1", "-0.1", "NaN"])("a share of traces of %j in the environment is refused", async (share) => {
  const env = { TRAJECTORY_SAMPLE_RATIO: share };
  const { code, stderr } = await folder.run(["serve", "--output", "jsonl", "--port", "0"], { env });
  expect(code).toBe(2);
  expect(stderr).toBe(
    `otel-trajectory: TRAJECTORY_SAMPLE_RATIO: expected a number from 0 to 1, got ${JSON.stringify(share)}\n`,
  );
});
