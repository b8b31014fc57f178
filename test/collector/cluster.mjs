// A router and three scorers.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { end, freePort } from "../support/processes.mjs";
import { Scorer } from "../support/scorer.mjs";
import { example, startCollector } from "./processes.mjs";

/** The Collector's own metrics would listen on one port for all. */
const QUIET = { service: { telemetry: { metrics: { level: "none" } } } };

/** The scorers stand behind one name, each at its own address, as the pods of a service do. */
const NAME = "scorers.test";
const addressOf = (number) => `127.0.0.${number}`;
const hostsOf = (numbers) => numbers.map((number) => `${addressOf(number)} ${NAME}\n`).join("");
const byName = (port) => ({
  exporters: {
    load_balancing: { resolver: { static: null, dns: { hostname: NAME, port: String(port), interval: "1s" } } },
  },
});

/** The spans as the Collector's file exporter writes them. */
const recording = (path) => ({
  exporters: { file: { path } },
  service: { pipelines: { "traces/recorded": { receivers: ["otlp"], exporters: ["file"] } } },
});

/**
 * @param {string} binary of the Collector
 * @param {{ router: string, over?: string, expectations: object, scorers?: object, engine?: object, serve?: object,
 *   env?: object, dns?: boolean, backend?: string, record?: boolean }} options `router` names the router's example and
 *   `over` one that is laid over it, with `env`; `dns`: it finds the scorers by a name; `backend`: the URL where results
 *   go too; `record`: the router writes what it takes into `recorded.jsonl` of the folder
 */
export async function startCluster(binary, options) {
  const { router: config, over, expectations, scorers, engine, serve, env: given, dns, backend, record } = options;
  const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-collector-"));
  const write = (name, value) => {
    writeFileSync(join(folder, name), JSON.stringify(value));
    return join(folder, name);
  };
  write("expectations.json", expectations);
  const settings = write("serve.json", { scorers, engine, serve });
  const quiet = write("quiet.json", QUIET);
  const outputs = backend === undefined ? ["jsonl"] : ["jsonl", "otlp"];
  const args = [
    "serve",
    "--output",
    ...outputs,
    "--expectations",
    join(folder, "expectations.json"),
    "--config",
    settings,
  ];
  const exported = backend === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: backend };
  const shared = await freePort();

  const replicas = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const host = dns ? addressOf(number) : "127.0.0.1";
      const [port, grpc] = [await freePort(), dns ? shared : await freePort()];
      const scorer = new Scorer({ host, port, args: [...args, "--grpc-port", String(grpc)], env: exported });
      await scorer.start();
      return { scorer, address: `${host}:${grpc}` };
    }),
  );

  const grpc = await freePort();
  const http = await freePort();
  const env = Object.fromEntries(replicas.map(({ address }, index) => [`SCORER_${index + 1}`, address]));
  Object.assign(env, given, { ROUTER_GRPC: `127.0.0.1:${grpc}`, ROUTER_HTTP: `127.0.0.1:${http}` });
  const laid = [
    ...(dns ? [write("dns.json", byName(shared))] : []),
    ...(over === undefined ? [] : [example(`collector/${over}`)]),
    ...(record ? [write("record.json", recording(join(folder, "recorded.jsonl")))] : []),
  ];
  const hosts = join(folder, "hosts");
  writeFileSync(hosts, hostsOf([1, 2, 3]));
  if (dns) Object.assign(env, { HOSTS: hosts, GODEBUG: "netdns=go" });
  const router = await startCollector("router", binary, [example(`collector/${config}`), quiet, ...laid], env, [
    grpc,
    http,
  ]);
  const all = replicas.map(({ scorer }) => scorer);

  return {
    folder,
    url: `http://127.0.0.1:${http}`,
    scorers: all,
    rows: () => all.flatMap((scorer) => scorer.rows()),
    /** Has the router read its configuration again. */
    reload: () => router.child.kill("SIGHUP"),
    /** Changes which scorers the name stands for. */
    resolve: (numbers) => writeFileSync(hosts, hostsOf(numbers)),
    /** Senders first, so that everything that is under way arrives; scorers score what they hold. */
    async stop() {
      await end(router);
      await Promise.all(all.map((scorer) => scorer.end()));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
