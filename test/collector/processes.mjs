// The programs that take part: Collectors and scorers, each a process of its own on loopback ports.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** The Collector's examples, as users find them. */
export const example = (name) => fileURLToPath(new URL(`../../examples/collector/${name}`, import.meta.url));

export const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** Waits until a condition holds. @throws {Error} naming it, after `seconds`. */
export async function until(what, condition, seconds = 60) {
  for (const from = performance.now(); !(await condition()); await sleep(50)) {
    if (performance.now() - from > seconds * 1_000) throw new Error(`not within ${seconds} s: ${what}`);
  }
}

/** A port that nothing listens on. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Everything that is started here ends with the program, whatever ends it. */
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

function start(name, file, args, env) {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const started = { name, child, stdout: "", stderr: "", ended: once(child, "exit") };
  for (const stream of ["stdout", "stderr"]) {
    child[stream].setEncoding("utf8").on("data", (text) => {
      started[stream] += text;
    });
  }
  running.add(child);
  child.on("exit", () => running.delete(child));
  return started;
}

async function ready({ name, child, stderr }, condition) {
  await until(`${name} ready`, () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}:\n${stderr}`);
    return condition();
  });
}

/** Ends a process and waits for it. */
export async function end({ child, ended }, signal = "SIGTERM") {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  await ended;
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });

/** With a hosts file of its own, named by HOSTS, which may change while the program runs. */
const OWN_HOSTS = ["-rm", "sh", "-c", 'mount --bind "$HOSTS" /etc/hosts && exec "$0" "$@"'];

/** Whether this machine lets a program have a hosts file of its own. */
export async function canOwnHosts() {
  const child = spawn("unshare", ["-rm", "true"], { stdio: "ignore" });
  const [code] = await Promise.race([once(child, "exit"), once(child, "error").then(() => [1])]).catch(() => [1]);
  return code === 0;
}

/** A Collector, ready on all of the given ports; in `env`, HOSTS names a hosts file of its own. */
export async function startCollector(name, binary, configs, env, ports) {
  const args = configs.flatMap((config) => ["--config", config]);
  const [file, own] = env.HOSTS === undefined ? [binary, []] : ["unshare", [...OWN_HOSTS, binary]];
  const collector = start(name, file, [...own, ...args], env);
  await ready(collector, async () => (await Promise.all(ports.map(answers))).every(Boolean));
  return collector;
}

/**
 * A scorer on one port, which can be ended and started again: its rows are those of all its lives.
 */
export class Scorer {
  #lives = [];

  /** @param {{ host: string, port: number, args: readonly string[], env?: object }} options `args` of `otel-trajectory serve` */
  constructor({ host, port, args, env = {} }) {
    this.host = host;
    this.port = port;
    this.args = args;
    this.env = env;
  }

  async start() {
    const args = ["serve", "--host", this.host, "--port", String(this.port), ...this.args];
    const life = start(`scorer on ${this.port}`, process.execPath, [command, ...args], this.env);
    this.#lives.push(life);
    await ready(life, () =>
      fetch(`http://${this.host}:${this.port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }

  end(signal) {
    return end(this.#lives.at(-1), signal);
  }

  /** What it has printed, less a line that a kill has cut. */
  rows() {
    return this.#lives.flatMap(({ stdout }) => stdout.split("\n").slice(0, -1)).map((line) => JSON.parse(line));
  }

  /** A counter of its /metrics, summed over its series. */
  async counter(name) {
    const text = await (await fetch(`http://${this.host}:${this.port}/metrics`)).text();
    const series = text.split("\n").filter((line) => line.startsWith(name) && !line.startsWith("#"));
    return series.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0);
  }
}
