import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { DEFAULT_LIMITS } from "../src/buffer/limits.ts";
import { parseExpectations } from "../src/expectation/parse.ts";
import { type OtlpReceiver, startOtlpReceiver } from "./support/otlp-receiver.ts";

const root = new URL("../", import.meta.url);
const folder = new URL(".tmp/docs/", root);
const readme = readFileSync(new URL("README.md", root), "utf8");
const blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
const of = (language: string): string[] =>
  blocks.filter((block) => block.language === language).map((block) => block.text);

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in the folder of the documentation tests; never rejects. */
function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const options = { cwd: fileURLToPath(folder), timeout: 25_000, env: { ...process.env, ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}

let receiver: OtlpReceiver;
let runs: readonly Ran[];

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The reader's own agent is played by the examples' agent on the path that skips half of its work.
  const agent = `import { LUCKY_PATH, supportAgent } from "../../examples/support/support-agent.mjs";
await supportAgent("Please refund order 1042.", { path: LUCKY_PATH });\n`;
  writeFileSync(new URL("agent.mjs", folder), agent);
  copyFileSync(new URL("examples/expectations.yaml", root), new URL("expectations.yaml", folder));
  receiver = await startOtlpReceiver();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
  const done: Ran[] = [];
  for (const [index, text] of of("js").entries()) {
    writeFileSync(new URL(`snippet-${index}.mjs`, folder), text);
    done.push(await run([`snippet-${index}.mjs`], env));
  }
  runs = done;
  writeFileSync(
    new URL("traces.jsonl", folder),
    receiver
      .bodies("/v1/traces")
      .map((body) => `${body}\n`)
      .join(""),
  );
}, 60_000);

afterAll(() => receiver.stop());

describe("README", () => {
  test("has the blocks that these tests are about", () => {
    expect(of("js").length).toBeGreaterThanOrEqual(4);
    expect(of("text").length).toBeGreaterThanOrEqual(3);
    expect(of("yaml").length).toBeGreaterThanOrEqual(1);
    expect(of("sh").length).toBeGreaterThanOrEqual(3);
    expect(blocks.filter(({ language }) => !["js", "text", "yaml", "sh"].includes(language))).toEqual([]);
  });

  test("every JavaScript block runs to its end without a word on the error stream", () => {
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(of("js").map(() => ({ code: 0, stderr: "" })));
  });

  test("the first block puts on the root span, as exported, what the page says", () => {
    const spans = receiver
      .bodies("/v1/traces")
      .flatMap((body) => JSON.parse(body).resourceSpans)
      .flatMap((resource) => resource.scopeSpans)
      .flatMap((scope) => scope.spans);
    const roots = spans.filter((span) => !span.parentSpanId);
    expect(roots).toHaveLength(1);
    const attributes = new Map<string, string>(
      roots[0].attributes.map(({ key, value }: { key: string; value: object }) => [
        key,
        String(Object.values(value)[0]),
      ]),
    );
    const lines = (of("text")[0] ?? "").trim().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(3);
    for (const line of lines) {
      const [key = "", value = ""] = line.split(/\s{2,}/);
      expect(attributes.get(key), line).toBe(value);
    }
  });

  test("the diff on the first screen is the explanation of the event", () => {
    const events = receiver
      .bodies("/v1/logs")
      .flatMap((body) => JSON.parse(body).resourceLogs)
      .flatMap((resource) => resource.scopeLogs)
      .flatMap((scope) => scope.logRecords);
    const explanations = events.map(
      (event) =>
        event.attributes.find(({ key }: { key: string }) => key === "gen_ai.evaluation.explanation")?.value.stringValue,
    );
    expect(explanations.map((text) => text?.trimEnd())).toContain(of("text")[1]?.trimEnd());
  });

  test("the first score is what the page says", () => {
    const first = of("js").findIndex((text) => text.includes('getTracer("first-score")'));
    expect(of("js")[first]).toContain("// 0.5:");
    expect(runs[first]?.stdout).toBe("score of the path: 0.5\n");
  });

  test("the core block prints what the page says", () => {
    const core = of("js").findIndex((text) => text.includes('from "otel-trajectory/core"'));
    expect(runs[core]?.stdout.trimEnd()).toBe(of("text")[2]?.trimEnd());
  });

  test.each(of("yaml"))("YAML block %# is a valid expectations file", (text) => {
    const parsed = parseExpectations(parseDocument(text).toJS(), "README");
    expect(parsed).toMatchObject({ ok: true });
  });

  test.each(of("sh").flatMap((text) => text.trim().split("\n")))("$ %s", async (line) => {
    const [command = "", first = "", ...rest] = line.split(" ");
    const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
    if (command === "npm" && first === "install") {
      expect(rest).toEqual([
        manifest.name,
        ...Object.keys(manifest.peerDependencies).filter((name) => !manifest.peerDependenciesMeta[name]),
      ]);
    } else if (command === "npm") {
      expect([first, Object.keys(manifest.scripts).includes(rest[0] ?? "")]).toEqual(["run", true]);
    } else {
      expect([command, first]).toEqual(["npx", manifest.name]);
      const { code, stdout, stderr } = await run([fileURLToPath(new URL(manifest.bin[first], root)), ...rest]);
      // Half of the lucky run's steps are missing, so the gate at 0.9 fails. What `record` says of its proposal is no fault.
      const speaks = rest.includes("--fail-under") || rest[0] === "record";
      expect({ code, stderr: speaks ? "" : stderr }).toEqual({
        code: rest.includes("--fail-under") ? 1 : 0,
        stderr: "",
      });
      expect(stdout.length).toBeGreaterThan(50);
    }
  });

  test.each(Object.entries(DEFAULT_LIMITS))("the table of limits has %s", (name, value) => {
    const row = readme.split("\n").find((line) => line.startsWith("| `") && line.includes(`\`${name}\``));
    expect(row?.split("|")[2]?.replaceAll(/\s/g, "")).toBe(String(value));
  });
});

describe("links", () => {
  const pages = ["README.md", "CONTRIBUTING.md"].map(
    (file) => [file, readFileSync(new URL(file, root), "utf8")] as const,
  );
  const links = pages.flatMap(([file, text]) =>
    [...text.matchAll(/\]\(([^)#\s]+)\)/g)].map(([, target = ""]) => [file, target] as const),
  );

  test.each(links.filter(([, target]) => !target.startsWith("http")))("%s -> %s", (_file, target) => {
    expect(existsSync(new URL(target, root))).toBe(true);
  });

  test("were found", () => expect(links.length).toBeGreaterThanOrEqual(8));
});
