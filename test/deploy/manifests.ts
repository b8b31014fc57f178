import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { render, SETS } from "./render.mjs";

/** A Kubernetes object, with what these tests look at. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Spec;
}
export interface Spec {
  readonly replicas?: number;
  readonly serviceName?: string;
  readonly maxUnavailable?: number;
  readonly publishNotReadyAddresses?: boolean;
  readonly selector?: unknown;
  readonly podSelector?: { readonly matchLabels: Labels };
  readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
  readonly ingress?: readonly PolicyRule[];
  readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
  readonly template?: { readonly metadata: { readonly labels: Labels; readonly annotations?: Labels }; spec: PodSpec };
}
type Labels = Readonly<Record<string, string>>;
interface PolicyRule {
  readonly ports: readonly { readonly port: string | number }[];
}
export interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly configMap?: { readonly name: string };
    readonly secret?: { readonly secretName: string };
  }[];
}
interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string; readonly scheme?: string };
  readonly tcpSocket?: { readonly port: string };
}
export interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly resources: { readonly requests: Labels; readonly limits: Labels };
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
}

const root = new URL("../../", import.meta.url);
const kubernetes = new URL("examples/deploy/kubernetes/", root);
const work = new URL(".tmp/deploy/", root);

/** A file of the examples, as text. */
export const textOf = (file: string): string => readFileSync(new URL(`examples/${file}`, root), "utf8");

interface Kustomization {
  readonly resources?: readonly string[];
}

/** The objects in the files of a folder, as they are written. */
export function written(folder: string): KubernetesObject[] {
  const at = new URL(`${folder}/`, kubernetes);
  const { resources = [] } = parse(readFileSync(new URL("kustomization.yaml", at), "utf8")) as Kustomization;
  const files = resources.filter((file) => file.endsWith(".yaml"));
  return files.flatMap((file) =>
    parseAllDocuments(readFileSync(new URL(file, at), "utf8")).map((document) => document.toJS() as KubernetesObject),
  );
}

/** Every folder of manifests. */
export const folders: readonly string[] = readdirSync(kubernetes);

/** The objects of a set, as they would be applied. */
export function rendered(set: string): KubernetesObject[] {
  const [folder, ...components] = SETS[set] as NonNullable<(typeof SETS)[string]>;
  return parseAllDocuments(render(folder, ...components)).map((document) => document.toJS() as KubernetesObject);
}

/** The one object of a kind whose name is `name`, or begins with it and goes on with a hash. */
export function the(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject {
  const found = objects.filter((each) => each.kind === kind && hasName(each, name));
  if (found.length !== 1) throw new Error(`${found.length} of ${kind} ${name}`);
  return found[0] as KubernetesObject;
}

function hasName({ metadata }: KubernetesObject, name: string): boolean {
  return metadata.name === name || (metadata.name.startsWith(`${name}-`) && metadata.name.length === name.length + 11);
}

/** The pod of a workload, and its only container. */
export function podOf(object: KubernetesObject): { readonly pod: PodSpec; readonly container: Container } {
  const pod = object.spec?.template?.spec;
  if (pod?.containers.length !== 1) throw new Error(`${object.metadata.name}: expected one container`);
  return { pod, container: pod.containers[0] as Container };
}

/** Files that are mounted from ConfigMaps, by path in the container. */
export function mounted(objects: readonly KubernetesObject[], workload: KubernetesObject): Map<string, string> {
  const { pod, container } = podOf(workload);
  const files = new Map<string, string>();
  for (const { name, mountPath } of container.volumeMounts) {
    const volume = pod.volumes.find((each) => each.name === name);
    if (volume === undefined) throw new Error(`no volume ${name}`);
    if (volume.configMap === undefined) continue;
    const { data = {} } = the(objects, "ConfigMap", volume.configMap.name);
    for (const [file, content] of Object.entries(data)) files.set(`${mountPath}/${file}`, content);
  }
  return files;
}

const GROUPS: Readonly<Record<string, string>> = {
  v1: "core/v1",
  "apps/v1": "apps/v1",
  "autoscaling/v2": "autoscaling/v2",
  "networking.k8s.io/v1": "networking/v1",
  "policy/v1": "policy/v1",
};

/**
 * What Kubernetes' own schema, as TypeScript types made from its OpenAPI description, has against each object. Literals
 * are checked strictly: an unknown field is an error.
 */
export function schemaErrors(objects: readonly object[]): string[][] {
  mkdirSync(work, { recursive: true });
  const lines = objects.map((object, index) => {
    const { apiVersion, kind } = object as KubernetesObject;
    const group = GROUPS[apiVersion];
    if (group === undefined) throw new Error(`${kind}: unknown apiVersion ${apiVersion}`);
    return `export const object${index}: import("kubernetes-types/${group}").${kind} = ${JSON.stringify(object)};\n`;
  });
  writeFileSync(new URL("objects.ts", work), lines.join(""));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "preserve",
    moduleResolution: "bundler",
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(new URL("tsconfig.json", work), JSON.stringify({ compilerOptions, files: ["objects.ts"] }));
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  const errors = objects.map((): string[] => []);
  try {
    execFileSync(process.execPath, [tsc, "-p", fileURLToPath(work), "--pretty", "false"], { encoding: "utf8" });
  } catch (error) {
    const { stdout = "" } = error as { readonly stdout?: string };
    const found = [...stdout.matchAll(/^\S*objects\.ts\((\d+),\d+\): (error .*)$/gm)];
    if (found.length === 0) throw error;
    for (const [, line, message = ""] of found) errors[Number(line) - 1]?.push(message);
  }
  return errors;
}
