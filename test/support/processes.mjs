// Programs of a test run, each a process of its own on loopback ports, which end with the run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";

/** A folder for what takes long to make and is kept from run to run. */
export const cacheFolder = (name) =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "otel-trajectory", name);

export const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** Waits until a condition holds. @throws {Error} naming it, after `seconds`. */
export async function until(what, condition, seconds = 60) {
  for (const from = performance.now(); !(await condition()); await sleep(50)) {
    if (performance.now() - from > seconds * 1_000) throw new Error(`not within ${seconds} s: ${what}`);
  }
}

/**
 * A port that nothing listens on, below those that systems give to outgoing connections: one of these could take it before
 * the program that it is meant for.
 */
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    // `once` rejects on `error`.
    const free = await once(server.listen(port, "127.0.0.1"), "listening").then(
      () => true,
      () => false,
    );
    if (!free) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** Everything that is started here ends with the program, whatever ends it. */
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** Starts a program, with `options` of `spawn`, and keeps what it prints; `ended` holds once it is over and all of that has been read. */
export function start(name, file, args, env, options = {}) {
  const child = spawn(file, args, { ...options, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const started = { name, child, stdout: "", stderr: "", ended: once(child, "close") };
  for (const stream of ["stdout", "stderr"]) {
    child[stream].setEncoding("utf8").on("data", (text) => {
      started[stream] += text;
    });
  }
  running.add(child);
  child.on("exit", () => running.delete(child));
  return started;
}

/** Waits until a program that was started holds a condition. @throws {Error} with what it printed, if it ends first. */
export async function ready(started, condition) {
  const { name, child } = started;
  await until(`${name} ready`, () => {
    const code = child.exitCode ?? child.signalCode;
    if (code !== null) throw new Error(`${name} ended with ${code}:\n${started.stdout}${started.stderr}`);
    return condition();
  });
}

/** Ends a process, after a minute with force, and waits for it; returns its exit code, null where a signal ended it. */
export async function end({ child, ended }, signal = "SIGTERM") {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const [code] = await ended;
  clearTimeout(timer);
  return code;
}

/** Whether something listens on a port. */
export const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
