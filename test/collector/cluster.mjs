// A router, three scorers, and beside each scorer its own Collector.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { end, example, freePort, Scorer, startCollector } from "./processes.mjs";

/** The Collector's own metrics would listen on one port for all. */
const QUIET = { service: { telemetry: { metrics: { level: "none" } } } };

/**
 * @param {string} binary of the Collector
 * @param {{ router: string, expectations: object, scorers?: object, engine?: object, serve?: object,
 *   overlay?: object | ((folder: string) => object) }} options `router` names the example, over which `overlay` is laid
 */
export async function startCluster(binary, { router: config, expectations, scorers, engine, serve, overlay = {} }) {
  const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-collector-"));
  const write = (name, value) => {
    writeFileSync(join(folder, name), JSON.stringify(value));
    return join(folder, name);
  };
  write("expectations.json", expectations);
  const settings = write("serve.json", { scorers, engine, serve });
  const quiet = write("quiet.json", QUIET);
  const args = ["--expectations", join(folder, "expectations.json"), "--config", settings];

  const replicas = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const scorer = new Scorer({ port: await freePort(), args });
      await scorer.start();
      const grpc = await freePort();
      const env = {
        REPLICA_GRPC: `127.0.0.1:${grpc}`,
        SERVE_TRACES: `http://127.0.0.1:${scorer.port}/v1/traces`,
      };
      const hop = await startCollector(`replica ${number}`, binary, [example("replica.yaml"), quiet], env, [grpc]);
      return { scorer, hop, address: `127.0.0.1:${grpc}` };
    }),
  );

  const grpc = await freePort();
  const http = await freePort();
  const env = Object.fromEntries(replicas.map(({ address }, index) => [`SCORER_${index + 1}`, address]));
  Object.assign(env, { ROUTER_GRPC: `127.0.0.1:${grpc}`, ROUTER_HTTP: `127.0.0.1:${http}` });
  const over = write("overlay.json", typeof overlay === "function" ? overlay(folder) : overlay);
  const router = await startCollector("router", binary, [example(config), quiet, over], env, [grpc, http]);
  const scorersOf = replicas.map(({ scorer }) => scorer);

  return {
    folder,
    url: `http://127.0.0.1:${http}`,
    router,
    replicas,
    scorers: scorersOf,
    rows: () => scorersOf.flatMap((scorer) => scorer.rows()),
    /** Has the router read its configuration again, with another overlay. */
    reload: (changed) => {
      write("overlay.json", changed);
      router.child.kill("SIGHUP");
    },
    /** Senders first, so that everything that is under way arrives; scorers score what they hold. */
    async stop() {
      await end(router);
      await Promise.all(replicas.map(({ hop }) => end(hop)));
      await Promise.all(scorersOf.map((scorer) => scorer.end()));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
