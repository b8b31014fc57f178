import { afterAll, expect, test } from "vitest";
import { CommandFolder } from "./command.ts";

const folder = new CommandFolder();
afterAll(() => folder.remove());
folder.write("bad.yaml", "consume: { maxRecords: 3 }\n");

const BROKERS = ["--brokers", "127.0.0.1:1"];
const NEEDED = [...BROKERS, "--topic", "spans", "--output", "jsonl", "--port", "0"];

test.each([
  ["no brokers", ["--topic", "spans"], "'--brokers <host:port...>' not specified"],
  ["no topic", [...BROKERS, "--output", "jsonl"], "--topic: expected the topic that the spans are in"],
  [
    "a broker without a port",
    ["--brokers", "kafka", "--topic", "spans", "--output", "jsonl"],
    'host:port, several separated by commas; got "kafka"',
  ],
  ["a port that is none", ["--brokers", "a:1,b:70000", "--topic", "spans", "--output", "jsonl"], 'got "b:70000"'],
  ["no endpoint", [...BROKERS, "--topic", "spans"], "set OTEL_EXPORTER_OTLP_ENDPOINT"],
  ["an encoding that is none", [...NEEDED, "--encoding", "jaeger"], "auto, otlp_proto, otlp_json"],
  ["a stage that is none", [...NEEDED, "--stage", "third"], "both, traces, sessions"],
  ["a key without a certificate", [...NEEDED, "--tls-key", "x"], "--tls-cert and --tls-key go together"],
  ["authorities that cannot be read", [...NEEDED, "--tls-ca", "nope.pem"], "nope.pem: cannot be read"],
  ["credentials that are not there", [...NEEDED, "--sasl", "plain"], "--sasl plain: set KAFKA_SASL_USERNAME"],
  ["an unknown limit", [...NEEDED, "--config", "bad.yaml"], 'bad.yaml: consume: unknown key "maxRecords"'],
  ["a broker that is not there", NEEDED, "no broker could be reached at 127.0.0.1:1: connect ECONNREFUSED"],
])("consume with %s: one line, exit 2", async (_, args, message) => {
  const { code, stdout, stderr } = await folder.run(["consume", ...args]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
