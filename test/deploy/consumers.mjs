// The manifests of `consume` with a real Kafka: what the writer's pod and the consumer's pod run, on this machine.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseAllDocuments } from "yaml";
import { startCollector } from "../collector/processes.mjs";
import { kafka, startBroker } from "../kafka/broker.mjs";
import { end, freePort, until } from "../support/processes.mjs";
import { Scorer } from "../support/scorer.mjs";
import { render } from "./render.mjs";
import { requestOf } from "./routers.mjs";

const TRACES = 30;
const PARTITIONS = 3;
/** Traces end soon here. */
const SHORT = "engine: { idleMillis: 1000, lateWindowMillis: 1000 }\n";

/**
 * Sends traces to the writer, and counts what two consumers make of them.
 *
 * @param {string} binary of a Collector with the Kafka exporter
 * @returns {Promise<{ skipped: string } | { scored: number, traces: number }>}
 */
export async function consumeRun(binary) {
  const { classpath, skipped } = await kafka();
  if (skipped !== undefined) return { skipped };
  const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-consume-"));
  const objects = parseAllDocuments(render("consume")).map((document) => document.toJS());
  const the = (kind, name) => objects.find((each) => each.kind === kind && each.metadata.name.startsWith(name));
  const put = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    return join(folder, path);
  };
  const { KAFKA_TOPIC } = the("ConfigMap", "kafka-").data;
  const broker = await startBroker(classpath);
  const consumers = [];
  let writer;
  try {
    for (const topic of [KAFKA_TOPIC, `${KAFKA_TOPIC}.dead-letter`, "otel-trajectory-sessions"]) {
      await broker.createTopic(topic, PARTITIONS);
    }
    put(
      "etc/otel-trajectory/expectations/expectations.yaml",
      the("ConfigMap", "expectations").data["expectations.yaml"],
    );
    put("etc/otel-trajectory/config/consume.yaml", SHORT);
    const [{ args }] = the("Deployment", "consumer").spec.template.spec.containers;
    // Where the process listens is the scorer's to say; results are to be looked at here.
    const local = args
      .filter((arg) => !/^--(?:host|port)=/.test(arg))
      .map((arg) =>
        arg
          .replace("$(KAFKA_BROKERS)", broker.address)
          .replace("$(KAFKA_TOPIC)", KAFKA_TOPIC)
          .replace("=/etc/", `=${folder}/etc/`),
      );
    for (let count = 0; count < 2; count += 1) {
      const port = await freePort();
      const consumer = new Scorer({ host: "127.0.0.1", port, args: [...local, "--output", "jsonl"] });
      await consumer.start();
      consumers.push(consumer);
    }
    const config = put("collector.yaml", the("ConfigMap", "writer-").data["collector.yaml"]);
    const quiet = put("quiet.yaml", "service: { telemetry: { metrics: { level: none } } }\n");
    const [grpc, http] = [await freePort(), await freePort()];
    const env = { KAFKA_BROKERS: broker.address, KAFKA_TOPIC };
    Object.assign(env, { ROUTER_GRPC: `127.0.0.1:${grpc}`, ROUTER_HTTP: `127.0.0.1:${http}` });
    writer = await startCollector("writer", binary, [config, quiet], env, [grpc, http]);
    const headers = { "content-type": "application/json" };
    for (let number = 0; number < TRACES; number += 1) {
      const body = JSON.stringify(requestOf(number));
      const { status } = await fetch(`http://127.0.0.1:${http}/v1/traces`, { method: "POST", headers, body });
      if (status !== 200) throw new Error(`the writer answers ${status}`);
    }
    const rows = () => consumers.flatMap((consumer) => consumer.rows());
    await until("everything has been scored", () => rows().length >= TRACES, 40);
    return { scored: rows().length, traces: new Set(rows().map((row) => row.unit_id)).size };
  } finally {
    if (writer !== undefined) await end(writer);
    for (const consumer of consumers) await consumer.end();
    await broker.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What {@link consumeRun} gives where all is well. */
export const ALL_CONSUMED = { scored: TRACES, traces: TRACES };
