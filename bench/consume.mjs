// `otel-trajectory consume` on a backlog that the Collector has written into a real broker: spans that it takes, assembles
// and scores for each second of its processor time, start-up left out, in protobuf and JSON. The load is that of
// bench/serve.mjs. Needs what `npm run verify:kafka` needs, on Linux.
//
//   node bench/consume.mjs [megabytes of JSON, default 60]
import { readFileSync } from "node:fs";
import { collector } from "../test/collector/build.mjs";
import { kafka, startBroker } from "../test/kafka/broker.mjs";
import { Rig } from "../test/kafka/rig.mjs";
import { endsOf } from "../test/kafka/topics.mjs";
import { until } from "../test/support/processes.mjs";
import { processorSeconds, serveLoad } from "./serve-load.mjs";

const jars = await kafka();
const built = await collector("kafka");
const missing = jars.skipped ?? built.skipped;
if (missing !== undefined) throw new Error(`This bench needs what is not here: ${missing}.`);

const { counts, protobuf: bodies } = serveLoad(Number(process.argv[2] ?? 60));
const EXPECTATIONS = {
  expectations: [
    {
      match: { agent: "support_agent" },
      expected_steps: ["authenticate", ["fetch_order", "fetch_policy"], "issue_refund"],
      expected_tools: ["authenticate", "issue_refund"],
    },
  ],
};
const ENGINE = { idleMillis: 2_000, lateWindowMillis: 0 };

const broker = await startBroker(jars.classpath);
console.log(`${counts.spans} spans in ${counts.traces} traces`);
for (const encoding of ["otlp_proto", "otlp_json"]) await measured(encoding);
await broker.remove();

async function measured(encoding) {
  const rig = new Rig({ broker, binary: built.binary, expectations: EXPECTATIONS, engine: ENGINE });
  try {
    await rig.topics();
    const url = await rig.collect({ env: { KAFKA_ENCODING: encoding } });
    for (const body of bodies) {
      const headers = { "content-type": "application/x-protobuf" };
      const { status } = await fetch(`${url}/v1/traces`, { method: "POST", headers, body });
      if (status !== 200) throw new Error(`the Collector answers ${status}`);
    }
    await rig.flush();
    const records = (await endsOf(broker, rig.topic)).reduce((sum, end) => sum + Number(end), 0);
    const consumer = await rig.consumer({ stage: "traces", encoding });
    const [ready, started] = [performance.now(), processorSeconds(consumer.pid)];
    const rows = counts.traces * 2;
    await until("all rows", () => consumer.rowCount >= rows, 300);
    const wall = (performance.now() - ready) / 1_000;
    const used = processorSeconds(consumer.pid) - started;
    const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${consumer.pid}/status`, "utf8"))?.[1]) / 1024;
    if (consumer.rowCount !== rows) throw new Error(`${consumer.rowCount} rows instead of ${rows}`);
    await consumer.end();
    console.log(
      `${encoding}: ${Math.round(counts.spans / used)} spans/s per core (${used.toFixed(2)} s of processor time; ${wall.toFixed(1)} s by the clock, ${ENGINE.idleMillis / 1_000} s of it idle; ${records} records; peak ${Math.round(peak)} MB)`,
    );
  } finally {
    await rig.remove();
  }
}
