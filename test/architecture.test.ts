import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const source = fileURLToPath(new URL("../src", import.meta.url));

/** Who may import whom: docs/architecture.md, "may import", as data. A part may always import itself. */
const ALL_BUT_FACES = [
  "model",
  "align",
  "wire",
  "conventions",
  "trajectory",
  "buffer",
  "expectation",
  "score",
  "report",
  "record",
];
const TABLE: Readonly<Record<string, { readonly parts: readonly string[]; readonly packages: readonly string[] }>> = {
  model: { parts: [], packages: ["@noble/hashes"] },
  align: { parts: [], packages: [] },
  wire: { parts: ["model"], packages: [] },
  conventions: { parts: ["model"], packages: [] },
  trajectory: { parts: ["model", "align"], packages: [] },
  buffer: { parts: ["model"], packages: [] },
  expectation: { parts: ["model"], packages: ["zod"] },
  score: { parts: ["model", "align", "expectation"], packages: ["zod"] },
  report: { parts: ["model"], packages: [] },
  record: { parts: ["model"], packages: [] },
  pipeline: { parts: ALL_BUT_FACES, packages: [] },
  files: { parts: ["model", "expectation"], packages: ["yaml", "node"] },
  otel: { parts: [...ALL_BUT_FACES, "pipeline", "#files"], packages: ["@opentelemetry/api"] },
  serve: {
    parts: ["model", "wire", "conventions", "expectation", "pipeline", "files", "otel"],
    packages: [
      "node",
      "protobufjs",
      "@grpc/grpc-js",
      "@opentelemetry/api",
      "@opentelemetry/exporter-logs-otlp-proto",
      "@opentelemetry/exporter-metrics-otlp-proto",
      "@opentelemetry/exporter-prometheus",
      "@opentelemetry/exporter-trace-otlp-proto",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-logs",
      "@opentelemetry/sdk-metrics",
      "@opentelemetry/sdk-trace",
      "@platformatic/kafka",
    ],
  },
  kafka: {
    parts: ["model", "wire", "buffer", "expectation", "pipeline", "otel", "serve"],
    packages: ["node", "zod", "@opentelemetry/api", "@platformatic/kafka"],
  },
  cli: {
    parts: [...ALL_BUT_FACES, "pipeline", "files", "#files", "serve", "kafka"],
    packages: ["commander", "fzstd", "protobufjs", "string-width", "yaml", "node"],
  },
  vitest: { parts: ["model", "wire", "score", "report", "pipeline"], packages: ["vitest"] },
  "core.ts": { parts: [...ALL_BUT_FACES, "pipeline"], packages: [] },
  "index.ts": { parts: [...ALL_BUT_FACES, "pipeline", "otel", "core.ts"], packages: [] },
};

interface Import {
  readonly file: string;
  readonly part: string;
  readonly target: string;
  readonly isPackage: boolean;
}

/** Every import, export-from and dynamic import of the sources. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*["']([^"'\n]+)["']/g;

const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.split(sep).join("/"));
const imports: readonly Import[] = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const text = readFileSync(join(source, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return [...text.matchAll(SPECIFIER)].map(([, specifier = ""]) => {
    const part = partOf(file);
    if (specifier === "#files") return { file, part, target: "#files", isPackage: false };
    if (!specifier.startsWith(".")) return { file, part, target: packageOf(specifier), isPackage: true };
    const path = relative(source, resolve(source, dirname(file), specifier))
      .split(sep)
      .join("/");
    return { file, part, target: partOf(path), isPackage: false };
  });
}

function partOf(path: string): string {
  return path.split("/")[0] ?? "";
}

function packageOf(specifier: string): string {
  if (specifier.startsWith("node:") || builtinModules.includes(specifier.split("/")[0] ?? "")) return "node";
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

describe("architecture", () => {
  test("the scan sees the sources", () => {
    expect(files.length).toBeGreaterThan(80);
    expect(imports.length).toBeGreaterThan(200);
  });

  test("every part of src is in the table", () => {
    expect([...new Set(files.map(partOf))].sort()).toEqual(Object.keys(TABLE).sort());
  });

  test("docs/architecture.md names the same parts", () => {
    const text = readFileSync(new URL("../docs/architecture.md", import.meta.url), "utf8");
    const rows = [...text.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) => cell.match(/[\w.]+/g) ?? []);
    expect(rows.sort()).toEqual(Object.keys(TABLE).sort());
  });

  test("parts import only what the table allows", () => {
    const broken = imports
      .filter(({ part, target, isPackage }) =>
        isPackage ? !TABLE[part]?.packages.includes(target) : target !== part && !TABLE[part]?.parts.includes(target),
      )
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(broken).toEqual([]);
  });

  test("only otel and kafka import OpenTelemetry, and of it only the API; serve loads its exporters on demand", () => {
    const seen = imports.filter(({ target }) => target.startsWith("@opentelemetry/"));
    expect(seen.length).toBeGreaterThan(0);
    const others = seen.filter(
      ({ part, target }) => !["otel", "kafka"].includes(part) || target !== "@opentelemetry/api",
    );
    expect(others.filter(({ part }) => part !== "serve")).toEqual([]);
  });

  test("what only services need is loaded when one starts, so that everything else runs without it", () => {
    const fixed = /^(?:import|export)\s(?!type\b)[^;]*?from\s*"([^"]+)"/gm;
    const seen = files
      .filter((file) => ["serve", "kafka"].includes(partOf(file)))
      .flatMap((file) => [...readFileSync(join(source, file), "utf8").matchAll(fixed)].map(([, id = ""]) => id))
      .filter((id) => !id.startsWith("."));
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.map(packageOf).filter((id) => !["node", "@opentelemetry/api", "zod"].includes(id))).toEqual([]);
  });

  test("the command loads what only some input needs when it meets such input", () => {
    const seen = imports.filter(({ part, target }) => part === "cli" && ["fzstd", "protobufjs"].includes(target));
    expect(seen.length).toBeGreaterThan(1);
    const fixed = seen.filter(({ file }) =>
      /^import [^;]*? from "(?:fzstd|protobufjs)/m.test(readFileSync(join(source, file), "utf8")),
    );
    expect(fixed).toEqual([]);
  });

  test("the command loads services when they are asked for", () => {
    const fixed = files
      .filter((file) => partOf(file) === "cli")
      .flatMap(
        (file) =>
          readFileSync(join(source, file), "utf8").match(/^import \{.*from "\.\.\/(?:serve|kafka)\/[^"]+"/gm) ?? [],
      );
    const loaded = fixed.map((line) => line.replace(/^.*from /, ""));
    expect(loaded).toEqual(['"../kafka/options.ts"', '"../serve/options.ts"']);
  });

  const NODE_PARTS = ["files", "cli", "serve", "kafka"];

  test("only files, cli and services import Node built-ins", () => {
    const seen = imports.filter(({ target }) => target === "node");
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter(({ part }) => !NODE_PARTS.includes(part))).toEqual([]);
  });

  test("only files, cli and services name Node globals", () => {
    const named = files
      .filter((file) => !NODE_PARTS.includes(partOf(file)))
      .filter((file) => {
        const text = readFileSync(join(source, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
        return /\b(?:Buffer\.|process\.(?!env\b)|setImmediate\(|require\(|__dirname\b|globalThis\.process\.(?!env\b))/.test(
          text,
        );
      });
    expect(named).toEqual([]);
  });

  test("entries export by hand and files stay small", () => {
    const stars = files.filter((file) => /^export \* /m.test(readFileSync(join(source, file), "utf8")));
    expect(stars).toEqual([]);
    const long = files.filter((file) => readFileSync(join(source, file), "utf8").split("\n").length > 400);
    expect(long).toEqual([]);
  });
});
