// A Python with OpenTelemetry's SDK, made once in the user's cache folder.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../../scripts/support/project.mjs";
import { cacheFolder } from "../support/processes.mjs";

const PACKAGES = [
  "opentelemetry-sdk==1.45.2",
  "opentelemetry-exporter-otlp-proto-http==1.45.2",
  "opentelemetry-processor-baggage==0.66b1",
];

/** @returns {Promise<{ binary: string } | { skipped: string }>} `skipped` says what this machine lacks. */
export async function python() {
  const folder = cacheFolder("python-1.45.2");
  const binary = join(folder, "bin", "python");
  const complete = join(folder, "complete");
  if (existsSync(complete)) return { binary };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  const made = await run("python3", ["-m", "venv", folder]);
  if (made.code !== 0) return { skipped: "no Python with venv on this machine" };
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PACKAGES];
  const installed = await run(binary, install);
  if (installed.code !== 0) return { skipped: `the Python SDK cannot be installed here:\n${installed.output}` };
  mkdirSync(complete);
  return { binary };
}
