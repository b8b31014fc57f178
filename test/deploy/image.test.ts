import { readFileSync } from "node:fs";
import { DockerfileParser, type Instruction, type JSONInstruction } from "dockerfile-ast";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { textOf } from "./manifests.ts";

const file = DockerfileParser.parse(textOf("deploy/docker/Dockerfile"));
const stages = file.getInstructions().reduce<Instruction[][]>((found, instruction) => {
  if (instruction.getKeyword() === "FROM") found.push([]);
  found.at(-1)?.push(instruction);
  return found;
}, []);
const last = stages.at(-1) ?? [];
const one = (keyword: string): string => {
  const found = last.filter((instruction) => instruction.getKeyword() === keyword);
  expect(found, keyword).toHaveLength(1);
  return found[0]?.getArgumentsContent() ?? "";
};
const words = (keyword: string): string[] => {
  const [found] = last.filter((instruction) => instruction.getKeyword() === keyword);
  return (found as JSONInstruction).getJSONStrings().map((text) => JSON.parse(text.getValue()) as string);
};

const root = new URL("../../", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const image = JSON.parse(textOf("deploy/docker/package.json"));

test("it is built in one stage and run in another, by somebody who is not root", () => {
  expect(stages.map((stage) => stage[0]?.getArgumentsContent())).toEqual([
    expect.stringMatching(/^\$\{NODE\} AS install$/),
    expect.stringMatching(/^\$\{NODE\}$/),
  ]);
  expect(file.getInitialARGs().map((arg) => arg.getArgumentsContent())).toEqual(["NODE=node:24-slim"]);
  expect(one("USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(last.filter((instruction) => ["RUN", "ADD"].includes(instruction.getKeyword()))).toEqual([]);
});

test("Node itself is told to end: nothing is between it and the signal", () => {
  expect(one("STOPSIGNAL")).toBe("SIGTERM");
  expect(words("ENTRYPOINT")).toEqual(["node", "/app/node_modules/otel-trajectory/dist/cli/main.js"]);
  expect(words("CMD").slice(0, 3)).toEqual(["serve", "--host", "0.0.0.0"]);
});

test("its ports are those of the manifests, and its user is that of the pods", () => {
  expect(one("EXPOSE").split(" ")).toEqual(["4317", "4318"]);
  const pod = parse(textOf("deploy/kubernetes/serve/scorer.yaml").split("\n---\n")[0] ?? "").spec.template.spec;
  expect(pod.containers[0].ports.map((port: { containerPort: number }) => port.containerPort)).toEqual([4317, 4318]);
  expect(one("USER")).toBe(`${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`);
});

test("everything is copied that .dockerignore lets in, and nothing else", () => {
  const copied = (stages[0] ?? [])
    .filter((instruction) => instruction.getKeyword() === "COPY")
    .flatMap((instruction) => instruction.getArguments().slice(0, -1))
    .map((argument) => argument.getValue());
  const ignored = textOf("deploy/docker/.dockerignore").trim().split("\n");
  expect(ignored.filter((line) => !line.startsWith("#"))).toEqual(["*", ...copied.map((name) => `!${name}`)]);
});

test("it holds this version, and all that serve may ask for, as tested here", () => {
  const { "otel-trajectory": version, ...others } = image.dependencies;
  expect(version).toBe(manifest.version);
  const asked = readFileSync(new URL("src/serve/packages.ts", root), "utf8").matchAll(/=> import\("([^"]+)"\)/g);
  const names = [...asked].map(([, id = ""]) => id.replace("/minimal.js", ""));
  expect(names.length).toBeGreaterThanOrEqual(10);
  expect(Object.keys(others).sort()).toEqual(["@opentelemetry/api", ...names].sort());
  for (const [name, pinned] of Object.entries(others)) expect(pinned, name).toBe(manifest.devDependencies[name]);
});
