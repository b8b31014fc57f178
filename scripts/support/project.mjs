// Shared by the scripts: where the project is, how to run a command in it, how to bring its dependencies in.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The project folder, as a URL that ends in a slash. */
export const root = new URL("../../", import.meta.url);

/** The project folder as a path. */
export const rootPath = fileURLToPath(root);

/**
 * Runs a command to its end without standard input. Never rejects for a failing command: look at `code`.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, live?: boolean, timeoutMillis?: number }} [options]
 *   `live` prints the output as it comes as well as returning it.
 * @returns {Promise<{ code: number, output: string, stdout: string }>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? rootPath,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), options.timeoutMillis ?? 300_000);
    let output = "";
    let stdout = "";
    const take = (stream, keep) => {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        output += text;
        if (keep) stdout += text;
        if (options.live) process.stdout.write(text);
      });
    };
    take(child.stdout, true);
    take(child.stderr, false);
    child.on("error", (error) => {
      clearTimeout(timer);
      resolve({ code: 127, output: `${output}${error.message}\n`, stdout });
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (signal) output += `\nended by ${signal}\n`;
      resolve({ code: code ?? 1, output, stdout });
    });
  });
}

/** Runs npm with warnings about engines and funding kept quiet. */
export function npm(args, options = {}) {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  const env = { npm_config_update_notifier: "false", ...options.env };
  // Inside `npm run`, the same npm is at hand as a script; its own name would need a shell on Windows.
  const script = process.env.npm_execpath;
  return script?.endsWith(".js")
    ? run(process.execPath, [script, ...args, ...quiet], { ...options, env })
    : run("npm", [...args, ...quiet], { ...options, env });
}

/**
 * Path of a command that an installed package brings, from its package.json `bin`.
 *
 * @param {string} name package name
 * @param {string} [command] command name, where the package has several
 */
export function tool(name, command) {
  const folder = new URL(`node_modules/${name}/`, root);
  const { bin } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
  const file = typeof bin === "string" ? bin : (bin[command ?? name] ?? Object.values(bin)[0]);
  return fileURLToPath(new URL(file, folder));
}

/** Installs the dependencies when they are missing or older than the lock file. Throws when that fails. */
export async function ensureInstalled() {
  const installed = new URL("node_modules/.package-lock.json", root);
  const lock = new URL("package-lock.json", root);
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log("Installing dependencies (npm ci) …");
  const { code, output } = await npm(["ci"], { timeoutMillis: 480_000 });
  if (code !== 0) throw new Error(`npm ci failed:\n${output}`);
}

/** Builds when there is no build, or one older than the sources. Throws when that fails. */
export async function ensureBuilt() {
  await ensureInstalled();
  const built = new URL("dist/core.js", root);
  const newest = (folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce(
      (latest, file) => Math.max(latest, statSync(new URL(file.split("\\").join("/"), folder)).mtimeMs),
      0,
    );
  if (existsSync(built) && statSync(built).mtimeMs >= newest(new URL("src/", root))) return;
  console.log("Building …");
  const { code, output } = await run(process.execPath, [fileURLToPath(new URL("scripts/build.mjs", root))]);
  if (code !== 0) throw new Error(`the build failed:\n${output}`);
}

/** Packs the built package and returns the tarball's path. */
export async function packed() {
  const folder = new URL(".tmp/pack/", root);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { code, output, stdout } = await npm(["pack", "--json", "--pack-destination", fileURLToPath(folder)]);
  if (code !== 0) throw new Error(`npm pack failed:\n${output}`);
  const [{ filename }] = JSON.parse(stdout);
  return fileURLToPath(new URL(filename, folder));
}
