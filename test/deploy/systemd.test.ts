import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { DEFAULT_SERVE_LIMITS } from "../../src/serve/options.ts";
import { COMMAND, launch } from "../serve/running.ts";
import { ask } from "../serve/support.ts";
import { textOf } from "./manifests.ts";

const unit = textOf("deploy/systemd/otel-trajectory.service");
const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-unit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The values of a key, in order. */
function valuesOf(key: string): string[] {
  const lines = unit.replace(/\\\n\s*/g, " ").split("\n");
  return lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
}

const [node = "", heap = "", main = "", ...args] = (valuesOf("ExecStart")[0] ?? "").split(/\s+/);

/** What `systemd-analyze` says of the unit with this machine's paths and a change. */
function analyze(words: readonly string[], change: (text: string) => string = (text) => text): string {
  const path = join(folder, "otel-trajectory.service");
  writeFileSync(path, change(unit.replace(node, process.execPath).replace(main, COMMAND)));
  const { stdout, stderr } = spawnSync("systemd-analyze", [...words, path], { encoding: "utf8" });
  return `${stdout}${stderr}`;
}

function hasAnalyze(): boolean {
  try {
    return (
      Number(/systemd (\d+)/.exec(execFileSync("systemd-analyze", ["--version"], { encoding: "utf8" }))?.[1]) >= 250
    );
  } catch {
    return false;
  }
}
const able = hasAnalyze();

describe.skipIf(!able)(
  `the unit, to systemd${able ? "" : ": skipped, no systemd-analyze of 250 or newer here"}`,
  () => {
    test("has no mistake that it would warn of", () => {
      expect(analyze(["verify"])).toBe("");
      expect(analyze(["verify"], (text) => text.replace("ProtectHome", "ProtectHomes"))).toContain("ProtectHomes");
    });

    test("is hardened", () => {
      const exposure = (text: string): number => Number(/exposure level for \S+: ([\d.]+)/.exec(text)?.[1]);
      expect(exposure(analyze(["security", "--offline=yes"]))).toBeLessThan(2);
      const soft = (text: string): string => text.replace(/^(Protect|Restrict|Private|Capability|SystemCall).*$/gm, "");
      expect(exposure(analyze(["security", "--offline=yes"], soft))).toBeGreaterThan(4);
    });
  },
);

test("its command starts the service, which asks for the token, and there is time for the drain", async () => {
  expect([node, heap, main]).toEqual([
    "/usr/bin/node",
    "--max-old-space-size=1536",
    "/opt/otel-trajectory/node_modules/otel-trajectory/dist/cli/main.js",
  ]);
  writeFileSync(join(folder, "token"), "t0ken\n");
  const from: Readonly<Record<string, string>> = {
    "expectations.yaml": "expectations.yaml",
    "serve.yaml": "serve.yaml",
  };
  for (const [name, file] of Object.entries(from)) {
    writeFileSync(join(folder, name), textOf(`deploy/kubernetes/serve/${file}`));
  }
  // Two services of two users on one machine would both want these ports.
  const words = args.map((arg) =>
    arg
      .replace("/etc/otel-trajectory/", `${folder}/`)
      .replace(/\$\{CREDENTIALS_DIRECTORY\}/, folder)
      .replace(/^431[78]$/, "0"),
  );
  expect(words.filter((word) => word.startsWith(folder))).toHaveLength(3);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_METRIC_EXPORT_INTERVAL: "60000" };
  const service = launch(process.execPath, [heap, COMMAND, ...words], { cwd: folder, env });
  const port = await service.port;
  expect((await ask(port, { method: "GET", path: "/healthz" })).status).toBe(200);
  expect((await ask(port, { method: "GET", path: "/metrics" })).status).toBe(401);
  service.child.kill("SIGKILL");
  await service.ended;
  expect(Number(valuesOf("TimeoutStopSec")[0])).toBeGreaterThanOrEqual(
    DEFAULT_SERVE_LIMITS.drainTimeoutMillis / 1_000 + 5,
  );
  // What ends with 2 is a call that cannot work.
  expect([valuesOf("Restart"), valuesOf("RestartPreventExitStatus")]).toEqual([["on-failure"], ["2"]]);
  expect(readFileSync(join(folder, "serve.yaml"), "utf8")).toContain("maxBufferedBytes: 536870912");
});
