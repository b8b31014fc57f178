// A real Collector that routes to three real scorers as examples/collector says: spans that it passes on for each second of
// its own processor time. It is built on first use, which takes minutes; see test/collector/build.mjs.
//
//   node bench/router.mjs [megabytes of JSON, default 60] [compression to scorers: gzip (default), none]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collector } from "../test/collector/build.mjs";
import { example, startCollector } from "../test/collector/processes.mjs";
import { end, freePort, until } from "../test/support/processes.mjs";
import { Scorer } from "../test/support/scorer.mjs";
import { post, processorSeconds, serveLoad } from "./serve-load.mjs";

const CONNECTIONS = 4;
const { counts, protobuf } = serveLoad(Number(process.argv[2] ?? 60));
const { binary, skipped } = await collector("balancing");
if (skipped !== undefined) throw new Error(skipped);

const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-router-"));
const compression = process.argv[3] ?? "gzip";
const OVER = {
  service: { telemetry: { metrics: { level: "none" } } },
  exporters: { load_balancing: { protocol: { otlp: { compression } } } },
};
writeFileSync(join(folder, "over.json"), JSON.stringify(OVER));
// What the scorers make of it is measured elsewhere.
writeFileSync(join(folder, "serve.yaml"), "engine: { idleMillis: 2000, lateWindowMillis: 1 }\n");

async function measure(config) {
  const scorers = await Promise.all(
    [1, 2, 3].map(async () => {
      const [port, grpc] = [await freePort(), await freePort()];
      const args = ["serve", "--grpc-port", String(grpc), "--output", "jsonl", "--config", join(folder, "serve.yaml")];
      const scorer = new Scorer({ host: "127.0.0.1", port, args });
      await scorer.start();
      return { scorer, address: `127.0.0.1:${grpc}` };
    }),
  );
  const [grpc, http] = [await freePort(), await freePort()];
  const addresses = Object.fromEntries(scorers.map(({ address }, index) => [`SCORER_${index + 1}`, address]));
  const env = { ...addresses, ROUTER_GRPC: `127.0.0.1:${grpc}`, ROUTER_HTTP: `127.0.0.1:${http}` };
  const configs = [example(`collector/${config}`), join(folder, "over.json")];
  const router = await startCollector("router", binary, configs, env, [grpc, http]);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const before = processorSeconds(router.child.pid);
  const bodies = [...protobuf];
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
        const { status } = await post(http, { type: "application/x-protobuf" }, body, agent);
        if (status !== 200) throw new Error(`the router answers ${status}`);
      }
    }),
  );
  const name = "trajectory_serve_spans_received_total";
  const received = async () => {
    const each = await Promise.all(scorers.map(({ scorer }) => scorer.counter(name)));
    return each.reduce((sum, count) => sum + count, 0);
  };
  await until("everything has arrived", async () => (await received()) >= counts.spans, 120);
  const used = processorSeconds(router.child.pid) - before;
  agent.destroy();
  await end(router);
  await Promise.all(scorers.map(({ scorer }) => scorer.end()));
  return used;
}

try {
  for (const config of ["by-trace.yaml", "by-session.yaml"]) {
    const used = await measure(config);
    const perCore = Math.round(counts.spans / used);
    console.log(
      `${config}: ${perCore} spans/s per core (${counts.spans} spans, ${used.toFixed(2)} s of processor time)`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
