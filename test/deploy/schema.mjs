// Kubernetes' own JSON schemas, of many of its versions, strictly: pip's `kubernetes-validate` holds them.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { venv } from "../support/python.mjs";
import { kustomize, render, SETS } from "./render.mjs";

const script = fileURLToPath(new URL("schema.py", import.meta.url));

/**
 * Holds everything that is meant to be applied to the schemas, and something broken, which they have to notice.
 *
 * @returns {Promise<{ skipped: string } | { versions: string[], errors: string[], unnoticed: string[] }>}
 */
export async function schemaRun() {
  if (kustomize === undefined) return { skipped: "neither kustomize nor kubectl is here" };
  const { binary, skipped } = await venv("kubernetes-validate-1.37.0", ["kubernetes-validate==1.37.0"]);
  if (binary === undefined) return { skipped };
  const validate = (manifests) => {
    const input = JSON.stringify(manifests);
    return JSON.parse(execFileSync(binary, [script], { input, encoding: "utf8", maxBuffer: 2 ** 26 }));
  };
  const sets = Object.values(SETS).map((set) => parseAllDocuments(render(...set)).map((document) => document.toJS()));
  const { versions, errors } = validate(sets.flat());
  const broken = [
    (object) => Object.assign(object.spec, { replicass: 1 }),
    (object) => Object.assign(object.spec, { replicas: "three" }),
    (object) => Object.assign(object.spec.template.spec.containers[0].livenessProbe.httpGet, { port: {} }),
  ].map((change) => {
    const object = structuredClone(sets[0].find(({ kind }) => kind === "StatefulSet"));
    change(object);
    return object;
  });
  // One of each kind of mistake: every version has to notice it.
  const found = validate(broken).errors;
  const unnoticed = versions.filter(
    (version) => found.filter((error) => error.startsWith(`${version}:`)).length !== broken.length,
  );
  return { versions, errors, unnoticed };
}
