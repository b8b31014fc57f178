// One scenario's Collector, topics and consumers, on a broker that all scenarios share.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { example, startCollector } from "../collector/processes.mjs";
import { end, freePort } from "../support/processes.mjs";
import { Scorer } from "../support/scorer.mjs";
import { recordsOf } from "./topics.mjs";

export const PARTITIONS = 3;

/** The Collector's own metrics would listen on one port for all. */
const QUIET = { service: { telemetry: { metrics: { level: "none" } } } };

/** The same spans once more, as JSON, into a topic that is read as a file. */
const recording = (broker, topic) => ({
  exporters: {
    "kafka/recorded": {
      brokers: [broker.address],
      traces: { topic, encoding: "otlp_json" },
      partition_traces_by_id: true,
      producer: { required_acks: -1, compression: "lz4" },
      sending_queue: { batch: { flush_timeout: "200ms" } },
      retry_on_failure: { initial_interval: "500ms", max_interval: "5s", max_elapsed_time: "0s" },
    },
  },
  service: { pipelines: { "traces/recorded": { receivers: ["otlp"], exporters: ["kafka/recorded"] } } },
});

let count = 0;

export class Rig {
  #collector;
  #folder = mkdtempSync(join(tmpdir(), "otel-trajectory-kafka-rig-"));
  #programs = [];
  #sweep = () => rmSync(this.#folder, { recursive: true, force: true });

  /** @param {{ broker: object, binary: string, expectations: object, scorers: object, engine: object }} options */
  constructor({ broker, binary, expectations, scorers, engine, consume = {} }) {
    count += 1;
    this.broker = broker;
    this.binary = binary;
    this.scorers = scorers;
    /** Names of this scenario's own. */
    this.topic = `spans-${count}`;
    this.recorded = `recorded-${count}`;
    this.group = `group-${count}`;
    process.on("exit", this.#sweep);
    this.#write("expectations.json", expectations);
    this.#write("consume.json", { scorers, engine, consume });
  }

  #write(name, value) {
    const path = join(this.#folder, name);
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
    return path;
  }

  get folder() {
    return this.#folder;
  }

  async topics() {
    await this.broker.createTopic(this.topic, PARTITIONS);
    await this.broker.createTopic(this.recorded, PARTITIONS);
    for (const topic of [this.topic, this.recorded]) {
      await this.broker.createTopic(`${topic}.sessions`, PARTITIONS);
      await this.broker.createTopic(`${topic}.dead-letter`);
      await this.broker.createTopic(`${topic}.sessions.dead-letter`);
    }
  }

  /**
   * Starts the Collector of examples/kafka/.
   *
   * @param {{ record?: boolean, env?: object, over?: object }} [options] `record`: into the topic `recorded` too
   * @returns {Promise<string>} the URL where it takes OTLP/HTTP
   */
  async collect({ record = false, env = {}, over } = {}) {
    const [grpc, http] = [await freePort(), await freePort()];
    const given = { KAFKA_BROKERS: this.broker.address, KAFKA_TOPIC: this.topic, ...env };
    Object.assign(given, { ROUTER_GRPC: `127.0.0.1:${grpc}`, ROUTER_HTTP: `127.0.0.1:${http}` });
    const configs = [example("kafka/collector.yaml"), this.#write("quiet.json", QUIET)];
    if (record) configs.push(this.#write("record.json", recording(this.broker, this.recorded)));
    if (over !== undefined) configs.push(this.#write("over.json", over));
    this.#collector = await startCollector("Collector", this.binary, configs, given, [grpc, http]);
    return `http://127.0.0.1:${http}`;
  }

  /** Sends what the Collector still holds, and ends it. */
  async flush() {
    if (this.#collector !== undefined) await end(this.#collector);
  }

  /** A consumer of this scenario, ready. */
  async consumer({
    topic = this.topic,
    group = this.group,
    stage = "both",
    encoding = "auto",
    backend,
    args = [],
  } = {}) {
    const outputs = backend === undefined ? ["jsonl"] : ["jsonl", "otlp"];
    const env = backend === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: backend, OTEL_METRICS_EXPORTER: "none" };
    const from = ["--brokers", this.broker.address, "--topic", topic, "--group", group, "--encoding", encoding];
    const to = ["--session-topic", `${topic}.sessions`, "--stage", stage, "--output", ...outputs];
    const files = ["expectations", "config"].map((name, index) => [
      `--${name}`,
      join(this.#folder, ["expectations.json", "consume.json"][index]),
    ]);
    const scorer = new Scorer({
      host: "127.0.0.1",
      port: await freePort(),
      args: ["consume", ...from, ...to, ...files.flat(), ...args],
      env,
    });
    this.#programs.push({ scorer, group });
    await scorer.start();
    return scorer;
  }

  consumers(number, options) {
    return Promise.all(Array.from({ length: number }, () => this.consumer(options)));
  }

  /** All rows of all consumers of a group, of those that have ended too, as they were printed. */
  rows(group = this.group) {
    const ours = this.#programs.filter((program) => program.group === group);
    const rows = ours.flatMap(({ scorer }) => scorer.rowsByTime());
    return rows.sort((one, other) => one.at - other.at).map(({ row }) => row);
  }

  /** What consumers and the Collector have complained of, each kind once. */
  warnings() {
    const lines = this.#programs.flatMap(({ scorer }) => scorer.log.split("\n")).filter((line) => line.startsWith("{"));
    const said = lines.map((line) => JSON.parse(line)).filter(({ level }) => level !== "info");
    const kinds = new Map(said.map(({ message, stage, what }) => [`${message} ${stage}`, { message, stage, what }]));
    const collector = /^.*\t(?:warn|error)\t.*$/m.exec(this.#collector?.stderr ?? "");
    return [...[...kinds.values()].map((each) => JSON.stringify(each)), ...(collector ?? [])];
  }

  /** The recorded topic as a file of this folder. */
  async record(name = "recorded.jsonl") {
    const records = await recordsOf(this.broker, this.recorded);
    this.#write(name, records.map(({ value }) => `${value.toString("utf8")}\n`).join(""));
    return records;
  }

  /** Ends the Collector and the consumers; returns what they ended with. */
  async end() {
    await this.flush();
    return Promise.all(this.#programs.map(({ scorer }) => scorer.end()));
  }

  async remove() {
    if (this.#collector !== undefined) await end(this.#collector, "SIGKILL");
    await Promise.all(this.#programs.map(({ scorer }) => scorer.end("SIGKILL")));
    process.off("exit", this.#sweep);
    this.#sweep();
  }
}
