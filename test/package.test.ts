import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";

const root = new URL("../", import.meta.url);
const path = (file: string): string => fileURLToPath(new URL(file, root));
const manifest = JSON.parse(readFileSync(path("package.json"), "utf8"));

/** What a built entry loads at once from outside, followed through its own files, and the code that comes with it. */
async function importsOf(entry: string, files: string): Promise<{ fixed: string[]; code: string }> {
  const bundle = await rolldown({
    input: path(entry),
    platform: "neutral",
    resolve: { alias: { "#files": path(files) } },
    external: (id) => !id.startsWith(".") && !id.startsWith("/") && id !== "#files",
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "esm", minify: false });
  await bundle.close();
  const chunks = new Map(output.filter((file) => file.type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  const fixed = new Set<string>();
  let code = "";
  const walk = [...chunks.values()].filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName);
  const seen = new Set(walk);
  for (const name of walk) {
    const chunk = chunks.get(name);
    code += chunk?.code ?? "";
    for (const id of chunk?.imports ?? []) {
      if (!chunks.has(id)) fixed.add(id);
      else if (!seen.has(id)) {
        seen.add(id);
        walk.push(id);
      }
    }
  }
  return { fixed: [...fixed].sort(), code };
}

const packageName = (id: string): string =>
  id
    .split("/")
    .slice(0, id.startsWith("@") ? 2 : 1)
    .join("/");
const isBuiltin = (id: string): boolean => id.startsWith("node:") || builtinModules.includes(id);

describe("the package", () => {
  const entries = [
    ...Object.values<string | Record<string, string>>(manifest.exports),
    ...Object.values<string | Record<string, string>>(manifest.imports),
    ...Object.values<string>(manifest.bin),
  ].flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)));

  test.each(entries)("has %s", (file) => {
    expect(existsSync(path(file)), `${file} is missing; run npm run build`).toBe(true);
  });

  test("has enough entries for the check above to mean something", () => {
    expect(entries.length).toBeGreaterThanOrEqual(8);
  });

  test("says the same version in code and in package.json", async () => {
    const { VERSION } = await import("../src/model/version.ts");
    expect(VERSION).toBe(manifest.version);
  });

  test("asks for the OpenTelemetry API and for no SDK", () => {
    const required = Object.keys(manifest.peerDependencies).filter(
      (name) => !manifest.peerDependenciesMeta[name]?.optional,
    );
    expect(required).toEqual(["@opentelemetry/api"]);
    expect(Object.keys(manifest.peerDependencies)).toEqual(
      expect.arrayContaining(Object.keys(manifest.peerDependenciesMeta)),
    );
    expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith("@opentelemetry/"))).toEqual([]);
  });

  test("the core bundle imports zod and @noble/hashes, and neither OpenTelemetry nor Node", async () => {
    const { fixed, code } = await importsOf("dist/core.js", manifest.imports["#files"].node);
    expect([...new Set(fixed.map(packageName))]).toEqual(["@noble/hashes", "zod"]);
    expect(code.length).toBeGreaterThan(10_000);
    expect(code).not.toMatch(/@opentelemetry\/[a-z-]+["']/);
  });

  test("on Node the main entry imports only the API, zod and @noble/hashes; yaml comes in on demand", async () => {
    const { fixed } = await importsOf("dist/index.js", manifest.imports["#files"].node);
    const packages = fixed.filter((id) => !isBuiltin(id)).map(packageName);
    expect([...new Set(packages)]).toEqual(["@noble/hashes", "@opentelemetry/api", "zod"]);
  });

  test("the entry for tests imports neither vitest nor OpenTelemetry nor Node when it runs", async () => {
    const { fixed, code } = await importsOf("dist/vitest/index.js", manifest.imports["#files"].node);
    expect([...new Set(fixed.map(packageName))]).toEqual(["@noble/hashes", "zod"]);
    expect(code.length).toBeGreaterThan(10_000);
  });

  test("elsewhere the main entry imports no Node built-in either", async () => {
    const { fixed, code } = await importsOf("dist/index.js", manifest.imports["#files"].default);
    expect([...new Set(fixed.map(packageName))]).toEqual(["@noble/hashes", "@opentelemetry/api", "zod"]);
    expect(code.length).toBeGreaterThan(50_000);
  });

  test.each([
    ["dist/core.js", "core.stepAccuracy().score(occurrence).score"],
    [
      "dist/index.js",
      "new core.TrajectorySpanProcessor().stats().spans.seen + core.stepAccuracy().score(occurrence).score",
    ],
  ])("%s loads and works in a bare context, without a global but the language's own", async (entry, expression) => {
    const bundle = await rolldown({
      input: path(entry),
      platform: "neutral",
      resolve: { alias: { "#files": path(manifest.imports["#files"].default) }, mainFields: ["module", "main"] },
      logLevel: "silent",
    });
    const { output } = await bundle.generate({ format: "iife", name: "core" });
    await bundle.close();
    const occurrence = `{ unit: "trajectory", unit_id: "x", steps: [{ kind: "TOOL", name: "a" }], expectation: { expected_steps: ["a"] } }`;
    const script = `${output[0].code}\n;const occurrence = ${occurrence}; ${expression};`;
    expect(runInNewContext(script, Object.create(null))).toBe(1);
  });

  test("the command is executable and starts with its interpreter line", () => {
    const command = path(manifest.bin["otel-trajectory"]);
    expect(readFileSync(command, "utf8").split("\n")[0]).toBe("#!/usr/bin/env node");
    expect(statSync(command).mode & 0o111).not.toBe(0);
    expect(execFileSync(command, ["manifest", "agent.step_accuracy"], { encoding: "utf8" })).toContain(
      "agent.step_accuracy",
    );
  });

  test("packs the build and the front pages, and no source, test or report", () => {
    const [{ files }] = JSON.parse(
      execFileSync("npm", ["pack", "--dry-run", "--json", "--loglevel=error"], { cwd: path("."), encoding: "utf8" }),
    );
    const names: string[] = files.map((file: { path: string }) => file.path);
    expect(names).toEqual(
      expect.arrayContaining([
        "package.json",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "dist/index.js",
        "dist/core.js",
        "dist/cli/main.js",
      ]),
    );
    const others = names.filter((name) => !name.startsWith("dist/"));
    expect(others.sort()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json"]);
    expect(names.length).toBeGreaterThan(80);
  });

  test("loads in one process by import and by require", () => {
    const script = `
      const required = require("otel-trajectory");
      import("otel-trajectory").then((imported) => {
        if (imported.TrajectorySpanProcessor !== required.TrajectorySpanProcessor) process.exit(3);
        import("otel-trajectory/core").then((core) => process.exit(typeof core.trajectoryOf === "function" ? 0 : 4));
      });`;
    execFileSync(process.execPath, ["--input-type=commonjs", "-e", script], { cwd: path(".") });
  });
});
