// A Collector as a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { answers, ready, start } from "../support/processes.mjs";

/** A configuration of the Collector, as users find it. */
export const example = (name) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

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
