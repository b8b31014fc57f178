import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { run } from "../../src/cli/run.ts";
import { parseExpectations } from "../../src/expectation/parse.ts";
import { type OtlpReceiver, startOtlpReceiver } from "../support/otlp-receiver.ts";
import {
  folders,
  type KubernetesObject,
  mounted,
  podOf,
  rendered,
  schemaErrors,
  textOf,
  the,
  written,
} from "./manifests.ts";
import { kustomize, SETS } from "./render.mjs";

const files = folders.flatMap(written);

test("the routers' configurations are those that are run against real scorers", () => {
  for (const name of ["by-trace.yaml", "by-session.yaml"]) {
    expect(textOf(`deploy/kubernetes/serve/${name}`), name).toBe(textOf(`collector/${name}`));
  }
  expect(textOf("deploy/kubernetes/elastic/group-by-trace.yaml")).toBe(textOf("collector/group-by-trace.yaml"));
});

const sets = Object.keys(SETS).map((set): [string, readonly KubernetesObject[]] => [
  set,
  kustomize === undefined ? [] : rendered(set),
]);
const NOBODY = kustomize === undefined ? ": skipped, neither kustomize nor kubectl is here" : "";

describe("Kubernetes' schema", () => {
  const mutated = (change: (object: ReturnType<typeof anything>) => void): object => {
    const copy = anything(structuredClone(the(files, "StatefulSet", "scorer")));
    change(copy);
    return copy;
  };
  // biome-ignore lint/suspicious/noExplicitAny: to be broken at will.
  const anything = (object: KubernetesObject): any => object;
  const broken = [
    mutated((object) => {
      object.spec.replicass = 3;
    }),
    mutated((object) => {
      object.spec.template.spec.containers[0].readinessProbe.httpGet.pathh = "/";
    }),
    mutated((object) => {
      object.spec.replicas = "3";
    }),
    mutated((object) => {
      delete object.spec.template.spec.containers[0].name;
    }),
    mutated((object) => {
      object.status = { phase: "new" };
    }),
  ];

  test("holds for every file and all that is made of them, strictly, and finds what is broken", {
    timeout: 60_000,
  }, () => {
    const good = [...files, ...sets.flatMap(([, objects]) => objects)];
    expect(files.length).toBeGreaterThanOrEqual(10);
    const errors = schemaErrors([...good, ...broken]);
    expect(errors.slice(0, good.length)).toEqual(good.map(() => []));
    expect(errors.slice(good.length).map((each) => each.length > 0)).toEqual(broken.map(() => true));
  });
});

describe.skipIf(kustomize === undefined).each(sets)(`%s${NOBODY}`, (_, objects) => {
  const workloads = objects.filter(({ spec }) => spec?.template !== undefined);

  test("everything has a namespace", () => {
    const homeless = objects.filter(({ kind, metadata }) => kind !== "Namespace" && metadata.namespace === undefined);
    expect(homeless).toEqual([]);
  });

  test("services, policies and budgets are about pods and ports that there are", () => {
    const labels = workloads.map(({ spec }) => spec?.template?.metadata.labels);
    const selects = (selector: object): number => labels.filter((each) => isPartOf(selector, each ?? {})).length;
    const others = objects.filter(({ kind }) => ["Service", "NetworkPolicy", "PodDisruptionBudget"].includes(kind));
    expect(workloads).toHaveLength(2);
    expect(others.length).toBeGreaterThanOrEqual(5);
    for (const { kind, metadata, spec } of others) {
      const workload = workloads.find((each) => each.metadata.name === metadata.name) as KubernetesObject;
      const { selector, podSelector } = spec ?? {};
      const chosen = (selector ?? podSelector) as { readonly matchLabels?: object };
      expect(selects(chosen.matchLabels ?? chosen), `${kind} ${metadata.name}`).toBe(1);
      const names = podOf(workload).container.ports.map(({ name }) => name);
      const used = [
        ...(spec?.ports ?? []).map(({ targetPort }) => targetPort),
        ...(spec?.ingress ?? []).flatMap(({ ports }) => ports.map(({ port }) => port)),
      ];
      expect(names, `${kind} ${metadata.name}`).toEqual(expect.arrayContaining(used));
    }
  });

  test("pods run as nobody in particular, and write nowhere", () => {
    for (const workload of workloads) {
      const { pod, container } = podOf(workload);
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(container.volumeMounts.filter(({ subPath }) => subPath !== undefined)).toEqual([]);
      expect(container.resources.limits["memory"]).toBe(container.resources.requests["memory"]);
    }
  });

  test("those that score end later than their drain, and have memory for what they may hold", () => {
    const scoring = workloads.filter((each) => podOf(each).container.image.startsWith("otel-trajectory:"));
    expect(scoring).toHaveLength(1);
    for (const workload of scoring) {
      const { pod, container } = podOf(workload);
      const path = container.args.find((arg) => arg.startsWith("--config="))?.slice("--config=".length) ?? "";
      const config = parse(mounted(objects, workload).get(path) ?? "");
      const { drainTimeoutMillis } = config[container.args[0] ?? ""];
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drainTimeoutMillis / 1_000 + 5);
      // The heap has room for all that is counted twice over, and the container for more than the heap.
      const heap = Number(/--max-old-space-size=(\d+)/.exec(variable(container.env, "NODE_OPTIONS"))?.[1]);
      expect(heap * 2 ** 20).toBeGreaterThan(config.engine.maxBufferedBytes * 2);
      expect(container.resources.limits["memory"]).toBe("2Gi");
      expect(heap).toBeLessThanOrEqual(2048 * 0.75);
    }
  });

  test("the expectations are expectations", () => {
    const { data = {} } = the(objects, "ConfigMap", "expectations");
    expect(parseExpectations(parse(data["expectations.yaml"] ?? ""), "expectations.yaml")).toMatchObject({ ok: true });
    // A hash in its name would replace the pods with every edit.
    expect(the(objects, "ConfigMap", "expectations").metadata.name).toBe("expectations");
  });
});

const served = sets.filter(([set]) => !set.startsWith("consume"));
describe.skipIf(kustomize === undefined).each(served)(`%s${NOBODY}`, (set, objects) => {
  const isSecured = set.endsWith("secured");
  const isElastic = set.startsWith("elastic");
  let receiver: OtlpReceiver;
  let folder: string;
  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    folder = mkdtempSync(join(tmpdir(), "otel-trajectory-pod-"));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await receiver.stop();
  });
  const scorer = () => the(objects, "StatefulSet", "scorer");
  const router = () => the(objects, "Deployment", "router");

  test("the router knows the scorers", () => {
    const { container } = podOf(router());
    const config = [...mounted(objects, router())];
    const args = container.args.map((arg) => arg.replace("--config=", ""));
    expect(config.map(([path]) => path).sort()).toEqual([...args].sort());
    const names = container.env.filter(({ name }) => name.startsWith("SCORER_") && name !== "SCORER_TOKEN");
    const port = the(objects, "Service", "scorer").spec?.ports?.find(({ name }) => name === "otlp-grpc")?.port;
    expect(names.map(({ value }) => value)).toEqual([0, 1, 2].map((number) => `scorer-${number}.scorer:${port}`));
    if (isElastic) {
      const laid = parse(new Map(config).get("/etc/otelcol/dns.yaml") ?? "");
      const { static: fixed, dns } = laid.exporters.load_balancing.resolver;
      expect([fixed, dns]).toEqual([null, { hostname: "scorer", port: `${port}`, interval: "5s" }]);
      expect(the(objects, "HorizontalPodAutoscaler", "scorer").spec?.scaleTargetRef).toMatchObject({
        kind: "StatefulSet",
        name: "scorer",
      });
    }
    expect(scorer().spec?.serviceName).toBe("scorer");
    expect(scorer().spec?.replicas).toBe(isElastic ? undefined : names.length);
    // With group-by-trace all spans of a trace have to come to one router.
    expect(router().spec?.replicas).toBe(isElastic ? 1 : 2);
    expect(the(objects, "Service", "scorer").spec?.publishNotReadyAddresses).toBe(!isElastic);
  });

  test("the scorer's command line starts the service in a folder with what is mounted, and its probes are answered", async () => {
    const { container } = podOf(scorer());
    for (const [path, content] of mounted(objects, scorer())) put(path, content);
    if (isSecured) {
      put("/etc/otel-trajectory/token/token", "t0ken\n");
      for (const [file, name] of [
        ["tls.crt", "cert"],
        ["tls.key", "key"],
      ]) {
        put(`/etc/otel-trajectory/tls/${file}`, readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url)));
      }
    }
    // As in the pod, but for the addresses: nobody else is to reach them, and they may be taken.
    const args = container.args.map((arg) =>
      arg
        .replace(/=(\/etc\/)/, `=${folder}$1`)
        .replace("--host=0.0.0.0", "--host=127.0.0.1")
        .replace(/-port=\d+/, "-port=0"),
    );
    const said = { stdout: "", stderr: "" };
    const output = (name: "stdout" | "stderr") => ({
      write: (text: string) => {
        said[name] += text;
        return true;
      },
    });
    const statuses: (number | undefined)[] = [];
    // The exporters read the process's own.
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url);
    const code = await run(args, {
      stdout: output("stdout"),
      stderr: output("stderr"),
      stdin: (async function* () {})(),
      cwd: folder,
      env: process.env,
      untilStopped: async () => {
        const { url, grpc_port, token } = JSON.parse(said.stderr.split("\n")[0] ?? "");
        expect([url.split(":")[0], typeof grpc_port, token]).toEqual([
          isSecured ? "https" : "http",
          "number",
          isSecured,
        ]);
        for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
          const { path = "", scheme = "HTTP" } = probe?.httpGet ?? {};
          expect(`${scheme.toLowerCase()}:`).toBe(new URL(url).protocol);
          // The first of them is what says that it has started.
          while (statuses.length === 0 && (await statusOf(`${url}${path}`)) === 503);
          statuses.push(await statusOf(`${url}${path}`));
        }
      },
    });
    vi.unstubAllEnvs();
    expect(receiver.bodies("/v1/metrics")).not.toEqual([]);
    expect([code, said.stdout, statuses]).toEqual([0, "", [200, 200, 200]]);
    const ports = container.args.flatMap((arg) => /-port=(\d+)/.exec(arg)?.slice(1).map(Number) ?? []);
    expect(container.ports.map(({ containerPort }) => containerPort).sort()).toEqual(ports.sort());
    const annotations = scorer().spec?.template?.metadata.annotations;
    expect(annotations?.["prometheus.io/port"]).toBe(isSecured ? undefined : "4318");
  });

  function put(path: string, content: string | Buffer): void {
    mkdirSync(dirname(`${folder}${path}`), { recursive: true });
    writeFileSync(`${folder}${path}`, content);
  }
});

function isPartOf(part: object, whole: Readonly<Record<string, string>>): boolean {
  return Object.entries(part).every(([key, value]) => whole[key] === value);
}

function variable(env: readonly { readonly name: string; readonly value?: string }[], name: string): string {
  return env.find((each) => each.name === name)?.value ?? "";
}

async function statusOf(url: string): Promise<number | undefined> {
  const { request } = url.startsWith("https:") ? await import("node:https") : await import("node:http");
  return new Promise((resolve, reject) => {
    // Kubernetes does not check the certificates of probes either.
    const options = url.startsWith("https:") ? { rejectUnauthorized: false } : {};
    const asking = request(url, { ...options, agent: false }, (response) => resolve(response.resume().statusCode));
    asking.on("error", reject);
    asking.end();
  });
}
