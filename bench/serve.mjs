// `otel-trajectory serve` in a process of its own, over real connections: spans that it takes, assembles and scores for
// each second of its processor time, start-up left out, in protobuf and JSON, plain and gzip. The load is that of the
// bench of `score`, in requests of 512 spans over four connections.
//
//   node bench/serve.mjs [megabytes of JSON, default 60] [only the ways that begin so]
import { writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { gzipSync } from "node:zlib";
import { FOLDER, memoryOf, post, processorSeconds, serveLoad } from "./serve-load.mjs";
import { ServeProcess } from "./serve-process.mjs";

const CONNECTIONS = 4;

const { counts, requests, json, protobuf } = serveLoad(Number(process.argv[2] ?? 60));

writeFileSync(
  `${FOLDER}serve-expectations.yaml`,
  `expectations:
  - match: { agent: support_agent }
    expected_steps: [authenticate, [fetch_order, fetch_policy], issue_refund]
    expected_tools: [authenticate, issue_refund]
`,
);
writeFileSync(`${FOLDER}serve-config.yaml`, "engine: { idleMillis: 2000, lateWindowMillis: 0 }\n");

const zip = (bodies) => bodies.map((body) => gzipSync(body, { level: 6 }));
const WAYS = {
  protobuf: { type: "application/x-protobuf", bodies: protobuf },
  "protobuf, gzip": { type: "application/x-protobuf", bodies: zip(protobuf), coding: "gzip" },
  json: { type: "application/json", bodies: json },
  "json, gzip": { type: "application/json", bodies: zip(json), coding: "gzip" },
};

async function measure(way) {
  const service = await ServeProcess.start({
    cwd: FOLDER,
    args: ["--config", "serve-config.yaml", "--expectations", "serve-expectations.yaml"],
    nodeArgs: process.env.BENCH_NODE_ARGS?.split(" "),
  });
  const { pid, port } = service;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const [cpu, wall] = [processorSeconds(pid), performance.now()];
  let next = 0;
  let refused = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < way.bodies.length) {
        const body = way.bodies[next];
        next += 1;
        while ((await post(port, way, body, agent)).status === 429) {
          refused += 1;
          await new Promise((resolve) => setTimeout(resolve, 1_000));
        }
      }
    }),
  );
  const seconds = (performance.now() - wall) / 1_000;
  // Everything has been scored when all rows are there.
  while (service.rows < counts.traces * 2) await new Promise((resolve) => setTimeout(resolve, 50));
  const used = cpu === undefined ? seconds : processorSeconds(pid) - cpu;
  const peak = memoryOf(pid, "VmHWM");
  agent.destroy();
  const code = await service.end();
  if (code !== 0 || service.rows !== counts.traces * 2) throw new Error(`ended with ${code} and ${service.rows} rows`);
  return { used, seconds, refused, peak };
}

console.log(`${counts.spans} spans in ${counts.traces} traces, ${requests.length} requests, ${counts.steps} steps`);
for (const [title, way] of Object.entries(WAYS).filter(([title]) => title.startsWith(process.argv[3] ?? ""))) {
  const { used, seconds, refused, peak } = await measure(way);
  const sent = way.bodies.reduce((sum, body) => sum + body.length, 0) / 1e6;
  const perCore = Math.round(counts.spans / used);
  const peakText = peak === undefined ? "" : `, peak ${Math.round(peak)} MB`;
  console.log(
    `${title}: ${perCore} spans/s per core (${used.toFixed(2)} s of processor time; ${Math.round(counts.spans / seconds)} spans/s taken; ${sent.toFixed(1)} MB sent; ${refused} told to wait${peakText})`,
  );
}
