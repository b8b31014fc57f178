// `otel-trajectory serve` as a process of its own, for the benches.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** What is started here ends with the bench, whatever ends that. */
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** What a port's /metrics say at one moment: gives the sum of the series of a name, of those with certain labels. */
export async function metricsAt(port) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const series = [...text.matchAll(/^(\w+)\{(.*)\} (\S+)$/gm)].map(([, name, labels, value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, label]) => [key, label])),
    value: Number(value),
  }));
  return (name, labels = {}) =>
    series
      .filter((one) => one.name === name && Object.entries(labels).every(([key, label]) => one.labels[key] === label))
      .reduce((sum, { value }) => sum + value, 0);
}

/** One service on a port of its own, ready; its rows are counted and let go. */
export class ServeProcess {
  /** Rows that it has printed. */
  rows = 0;
  /** Its log. */
  log = "";
  /** Messages that it sends by way of its own `--import`. */
  onMessage = () => undefined;

  /**
   * Resolves once it listens.
   *
   * @param {{ cwd: string, args?: readonly string[], nodeArgs?: readonly string[] }} options `args`: more of the command
   * @throws {Error} with its log, where it ends first
   */
  static async start({ cwd, args = [], nodeArgs = [] }) {
    const service = new ServeProcess();
    const all = [...nodeArgs, COMMAND, "serve", "--port", "0", "--output", "jsonl", ...args];
    const child = spawn(process.execPath, all, { cwd, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    service.child = child;
    service.pid = child.pid;
    running.add(child);
    child.stdout.on("data", (chunk) => {
      for (const byte of chunk) if (byte === 10) service.rows += 1;
    });
    child.on("message", (message) => service.onMessage(message));
    service.exited = new Promise((resolve) =>
      child.on("close", (code) => {
        running.delete(child);
        resolve(code);
      }),
    );
    service.port = await new Promise((resolve, reject) => {
      child.stderr.on("data", (chunk) => {
        service.log += chunk;
        const ready = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(service.log);
        if (ready !== null) resolve(Number(ready[1]));
      });
      child.on("error", reject);
      service.exited.then((code) => reject(new Error(`serve ended with ${code}:\n${service.log}`)));
    });
    return service;
  }

  /** Its metrics, as {@link metricsAt} has them. */
  metrics() {
    return metricsAt(this.port);
  }

  /** Ends it; gives its exit code. */
  end(signal = "SIGTERM") {
    this.child.kill(signal);
    return this.exited;
  }
}
