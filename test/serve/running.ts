import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The built command. */
export const COMMAND: string = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A service in a process of its own. */
export interface Running {
  readonly child: ChildProcess;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  out(): string;
  log(): string;
  /** Where it listens; rejects when it ends instead. */
  readonly port: Promise<number>;
}

/** Starts what in the end is `otel-trajectory serve`. */
export function launch(
  file: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Running {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...rest } = process.env;
  const child = spawn(file, args, { cwd, env: { ...rest, ...env } });
  let out = "";
  let log = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const ended = new Promise<number | string>((resolve) =>
    child.on("close", (code, signal) => resolve(code ?? signal ?? "")),
  );
  const port = new Promise<number>((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      log += chunk;
      const found = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(log);
      if (found !== null) resolve(Number(found[1]));
    });
    void ended.then(() => reject(new Error(log)));
  });
  port.catch(() => undefined);
  return { child, ended, out: () => out, log: () => log, port };
}
