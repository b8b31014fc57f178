// A real Prometheus, where there is one, that scrapes the service.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { end, freePort, ready, sleep, start } from "../../support/processes.mjs";

/** Whether a program is on the PATH. */
export const has = (name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0;

const SCRAPE_MILLIS = 3_000;

/** The names in a section of docs/serve.md, as Prometheus writes them; of some the docs give only what is their own. */
export function documented() {
  const text = readFileSync(new URL("../../../docs/serve.md", import.meta.url), "utf8");
  const section = /^## Operations\n(.*?)^## /ms.exec(text)?.[1] ?? "";
  const names = [...section.matchAll(/`((?:trajectory|http)?\.[\w.]+|(?:trajectory|http)\.[\w.]+)`/g)].map(
    ([, name]) => name,
  );
  return names.map((name) => (name.startsWith(".") ? `trajectory.serve${name}` : name).replaceAll(".", "_"));
}

/** The series of a page: what it counts, by name and labels. */
export function seriesOf(page) {
  const lines = page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
      return [keyOf(name, pairs), Number(value)];
    }),
  );
}

/** A label that is empty is none. */
const keyOf = (name, pairs) =>
  `${name} ${JSON.stringify(pairs.filter(([key, text]) => text !== "" && key !== "le").sort())}${
    pairs.find(([key]) => key === "le")?.[1] ?? ""
  }`;

/** Complaints of promtool about a page; nothing where it has none. */
export function lint(page) {
  const { stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: page, encoding: "utf8" });
  return `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
}

export class Prometheus {
  #folder = mkdtempSync(join(tmpdir(), "otel-trajectory-prometheus-"));
  #process;
  #port;

  async start(port, token) {
    this.#port = await freePort();
    const config = {
      global: { scrape_interval: `${SCRAPE_MILLIS}ms` },
      scrape_configs: [
        {
          job_name: "trajectory",
          authorization: { credentials: token },
          static_configs: [{ targets: [`127.0.0.1:${port}`] }],
        },
      ],
    };
    const file = join(this.#folder, "prometheus.yml");
    writeFileSync(file, JSON.stringify(config));
    const listen = `--web.listen-address=127.0.0.1:${this.#port}`;
    const args = [`--config.file=${file}`, `--storage.tsdb.path=${join(this.#folder, "data")}`, listen];
    this.#process = start("prometheus", "prometheus", args, {});
    await ready(this.#process, () => this.#get("/-/ready").then((text) => text !== undefined));
  }

  async #get(path) {
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`).catch(() => undefined);
    return response?.ok ? response.text() : undefined;
  }

  async query(expression) {
    const text = await this.#get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
    return JSON.parse(text).data.result;
  }

  /** What it has of the service now, once it has scraped twice more. */
  async series() {
    await sleep(2.5 * SCRAPE_MILLIS);
    const result = await this.query('{job="trajectory"}');
    return new Map(
      result.map(({ metric: { __name__: name, job: _, instance: __, ...labels }, value }) => [
        keyOf(
          name,
          // What the service says under a name that Prometheus needs for itself.
          Object.entries(labels).map(([key, text]) => [key.replace(/^exported_/, ""), text]),
        ),
        Number(value[1]),
      ]),
    );
  }

  async stop() {
    if (this.#process !== undefined) await end(this.#process);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
