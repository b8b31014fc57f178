// What the system knows of a process.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Whether this system tells about processes as Linux does. */
export const tells = existsSync("/proc/self/status");

const kibibytes = (pid, name) =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Memory of a process now, and at its peak, in MiB. */
export const resident = (pid) => kibibytes(pid, "VmRSS") / 1_024;
export const peak = (pid) => kibibytes(pid, "VmHWM") / 1_024;

export const openFiles = (pid) => readdirSync(`/proc/${pid}/fd`).length;

/** How many files a process may open: Node takes as many as the hard limit allows. */
export function mayOpen() {
  const limit = execFileSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" }).trim();
  return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit);
}
