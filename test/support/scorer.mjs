// The command as a process of its own.
import { fileURLToPath } from "node:url";
import { end, ready, start } from "./processes.mjs";

const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/**
 * A command that scores, with its health on one port. It can be ended and started again: its rows are those of all its
 * lives.
 */
export class Scorer {
  #lives = [];
  #lines = [];

  /**
   * @param {{ host: string, port: number, args: readonly string[], env?: object }} options `args`: the command and its
   *   options
   */
  constructor({ host, port, args, env = {} }) {
    this.host = host;
    this.port = port;
    this.args = args;
    this.env = env;
  }

  async start() {
    const [name, ...rest] = this.args;
    const args = [command, name, "--host", this.host, "--port", String(this.port), ...rest];
    const life = start(`${name} on ${this.port}`, process.execPath, args, this.env);
    this.#lives.push(life);
    this.#follow(life.child.stdout);
    await ready(life, () =>
      fetch(`http://${this.host}:${this.port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }

  #follow(stdout) {
    let rest = "";
    stdout.on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) this.#lines.push({ at: performance.now(), line });
    });
  }

  end(signal) {
    return end(this.#lives.at(-1), signal);
  }

  /** What it has printed, less a line that a kill has cut. */
  rows() {
    return this.rowsByTime().map(({ row }) => row);
  }

  /** The same, each with when it was printed. */
  rowsByTime() {
    return this.#lines.map(({ at, line }) => ({ at, row: JSON.parse(line) }));
  }

  /** How many rows that are. */
  get rowCount() {
    return this.#lines.length;
  }

  /** What it has logged. */
  get log() {
    return this.#lives.map(({ stderr }) => stderr).join("");
  }

  get pid() {
    return this.#lives.at(-1).child.pid;
  }

  /** A counter of its /metrics, summed over its series. */
  async counter(name) {
    const text = await (await fetch(`http://${this.host}:${this.port}/metrics`)).text();
    const series = text.split("\n").filter((line) => line.startsWith(name) && !line.startsWith("#"));
    return series.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0);
  }
}
