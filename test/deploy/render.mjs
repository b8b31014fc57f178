// What `kubectl apply -k` would send, made by whichever kustomize there is.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const kubernetes = new URL("../../examples/deploy/kubernetes/", import.meta.url);
const work = new URL("../../.tmp/deploy/", import.meta.url);

export const kustomize = [
  ["kustomize", "build"],
  ["kubectl", "kustomize"],
].find(([file, ...args]) => {
  try {
    execFileSync(file, [...args, "--help"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

export function render(folder, ...components) {
  const [file, ...args] = kustomize;
  const at = new URL(`render-${process.pid}-${[folder, ...components].join("-")}/`, work);
  mkdirSync(at, { recursive: true });
  try {
    const path = (name) => relative(fileURLToPath(at), fileURLToPath(new URL(name, kubernetes)));
    const kustomization = { resources: [path(folder)], components: components.map(path) };
    writeFileSync(new URL("kustomization.yaml", at), JSON.stringify(kustomization));
    return execFileSync(file, [...args, fileURLToPath(at)], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
}

export const SETS = {
  serve: ["serve"],
  "serve, secured": ["serve", "secured"],
  elastic: ["elastic"],
  "elastic, secured": ["elastic", "secured"],
  consume: ["consume"],
};
