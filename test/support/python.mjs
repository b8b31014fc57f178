// A Python with some packages, made once in the user's cache folder.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../../scripts/support/project.mjs";
import { cacheFolder } from "./processes.mjs";

/**
 * @param {string} name of its folder; another list of packages needs another name
 * @param {readonly string[]} packages for pip, with their versions
 * @returns {Promise<{ binary: string } | { skipped: string }>} `skipped` says what this machine lacks.
 */
export async function venv(name, packages) {
  const folder = cacheFolder(name);
  const binary = join(folder, "bin", "python");
  const complete = join(folder, "complete");
  if (existsSync(complete)) return { binary };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  const made = await run("python3", ["-m", "venv", folder]);
  if (made.code !== 0) return { skipped: "no Python with venv on this machine" };
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages];
  const installed = await run(binary, install);
  if (installed.code !== 0) return { skipped: `${packages.join(", ")} cannot be installed here:\n${installed.output}` };
  mkdirSync(complete);
  return { binary };
}
