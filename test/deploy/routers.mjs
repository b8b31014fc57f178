// The routers of the manifests, in a real Collector.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { startCollector } from "../collector/processes.mjs";
import { answers, end, freePort, ready, start, until } from "../support/processes.mjs";
import { render, SETS } from "./render.mjs";

const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const tls = (name) => fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));

/** The Collector's own metrics would listen on one port for all. */
const QUIET = "service: { telemetry: { metrics: { level: none } } }\n";

const VARIABLES = { SCORER_TOKEN: "t", KAFKA_BROKERS: "kafka-bootstrap.kafka:9092", KAFKA_TOPIC: "otlp_spans" };

/** The sets whose Collector is built with the Kafka exporter, and writes; those of the others route. */
const WRITERS = ["consume"];

/** Writes the configuration of a set's Collector into a folder; gives its files in the order in which they are laid. */
function configsOf(set, folder) {
  const name = WRITERS.includes(set) ? "writer" : "router";
  const objects = parseAllDocuments(render(...SETS[set])).map((document) => document.toJS());
  const router = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === name);
  const { data } = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name.startsWith(`${name}-`));
  for (const [name, text] of Object.entries(data)) writeFileSync(join(folder, name), text);
  return router.spec.template.spec.containers[0].args.map((arg) =>
    join(folder, arg.replace("--config=/etc/otelcol/", "")),
  );
}

/** What a real Collector, built for one kind, has against the configurations of that kind, by set. */
export function collectorErrors(binary, kind) {
  const sets = Object.keys(SETS).filter((set) => WRITERS.includes(set) === (kind === "kafka"));
  const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-routers-"));
  try {
    return sets.flatMap((set) => {
      const configs = configsOf(set, folder).flatMap((file) => ["--config", file]);
      try {
        execFileSync(binary, ["validate", ...configs], { env: { ...process.env, ...VARIABLES }, stdio: "pipe" });
        return [];
      } catch (error) {
        return [`${set}: ${error.stderr}`];
      }
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const SCORERS = [1, 2, 3];
const TRACES = 30;

/** A trace of one agent that should have searched, and has not. */
export const requestOf = (number) => ({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: number.toString(16).padStart(32, "a"),
              spanId: "b7ad6b7169203331",
              name: "invoke_agent a",
              startTimeUnixNano: "1780000000000000000",
              endTimeUnixNano: "1780000001000000000",
              attributes: [
                { key: "gen_ai.operation.name", value: { stringValue: "invoke_agent" } },
                { key: "aip.expected_steps", value: { stringValue: '["search"]' } },
              ],
            },
          ],
        },
      ],
    },
  ],
});

/**
 * Sends traces through the secured router to scorers that ask for a token over TLS.
 *
 * @param {string} token what the router brings
 * @returns {Promise<{ scored: number, refused: boolean }>} of all traces; whether a scorer has turned the router away
 */
export async function securedRun(binary, token) {
  const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-secured-"));
  const started = [];
  try {
    writeFileSync(join(folder, "token"), "t0ken\n");
    const scorers = await Promise.all(
      SCORERS.map(async (number) => {
        const [port, grpc] = [await freePort(), await freePort()];
        const args = [command, "serve", "--port", port, "--grpc-port", grpc, "--output", "jsonl"];
        const secrets = ["--token-file", join(folder, "token"), "--tls-cert", tls("cert"), "--tls-key", tls("key")];
        const scorer = start(`scorer ${number}`, process.execPath, [...args, ...secrets].map(String));
        started.push(scorer);
        await ready(scorer, () => answers(grpc));
        return { scorer, grpc };
      }),
    );
    const [grpc, http] = [await freePort(), await freePort()];
    const env = {
      ...Object.fromEntries(scorers.map((each, index) => [`SCORER_${index + 1}`, `127.0.0.1:${each.grpc}`])),
      ...{ ROUTER_GRPC: `127.0.0.1:${grpc}`, ROUTER_HTTP: `127.0.0.1:${http}` },
      ...{ SCORER_TOKEN: token, SCORER_CA: tls("cert"), SCORER_NAME: "localhost" },
    };
    writeFileSync(join(folder, "quiet.yaml"), QUIET);
    const configs = [...configsOf("serve, secured", folder), join(folder, "quiet.yaml")];
    const router = await startCollector("router", binary, configs, env, [grpc, http]);
    started.push(router);
    const headers = { "content-type": "application/json" };
    for (let number = 0; number < TRACES; number += 1) {
      const body = JSON.stringify(requestOf(number));
      const { status } = await fetch(`http://127.0.0.1:${http}/v1/traces`, { method: "POST", headers, body });
      if (status !== 200) throw new Error(`the router answers ${status}`);
    }
    const wasRefused = () => /Unauthenticated/.test(router.stderr);
    // What it holds leaves when it ends.
    if (token !== "t0ken") await until("the router is turned away", wasRefused, 20);
    await end(router);
    await Promise.all(scorers.map(({ scorer }) => end(scorer)));
    const rows = scorers.flatMap(({ scorer }) => scorer.stdout.split("\n").filter((line) => line !== ""));
    return { scored: rows.length, refused: wasRefused() };
  } finally {
    for (const each of started) await end(each, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What {@link securedRun} gives where the token is right. */
export const ALL_SCORED = { scored: TRACES, refused: false };
