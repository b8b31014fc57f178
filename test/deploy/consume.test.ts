import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { mounted, podOf, rendered, textOf, the } from "./manifests.ts";
import { kustomize } from "./render.mjs";

test("the writer's configuration is that which is run against a real Kafka", () => {
  expect(textOf("deploy/kubernetes/consume/collector.yaml")).toBe(textOf("kafka/collector.yaml"));
  expect(textOf("deploy/kubernetes/consume/namespace.yaml")).toBe(textOf("deploy/kubernetes/serve/namespace.yaml"));
});

const NOBODY = kustomize === undefined ? ": skipped, neither kustomize nor kubectl is here" : "";

describe.skipIf(kustomize === undefined)(`consume${NOBODY}`, () => {
  const objects = kustomize === undefined ? [] : rendered("consume");
  const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-pod-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const put = (path: string, content: string): void => {
    mkdirSync(dirname(`${folder}${path}`), { recursive: true });
    writeFileSync(`${folder}${path}`, content);
  };

  test("a pod is replaced before another begins, so that there are never more than partitions", () => {
    expect(the(objects, "Deployment", "consumer").spec).toMatchObject({
      strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    });
  });

  test("a consumer that has no partitions is not ready, and is left alone", () => {
    const { startupProbe, readinessProbe, livenessProbe } = podOf(the(objects, "Deployment", "consumer")).container;
    const paths = [startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet?.path);
    expect(paths).toEqual(["/healthz", "/readyz", "/healthz"]);
  });

  test("the consumer's command line is one that the command takes, up to its limits and on to Kafka", async () => {
    const consumer = the(objects, "Deployment", "consumer");
    const { container } = podOf(consumer);
    const files = mounted(objects, consumer);
    for (const [path, content] of files) put(path, content);
    const settings = the(objects, "ConfigMap", "kafka").data ?? {};
    expect(Object.keys(settings)).toEqual(["KAFKA_BROKERS", "KAFKA_TOPIC"]);
    // As in the pod, but for the addresses: of Kafka, which is not here, and of its own.
    const args = container.args.map((arg) =>
      arg
        .replace(/=(\/etc\/)/, `=${folder}$1`)
        .replace(/\$\((\w+)\)/, (_, name: string) =>
          name === "KAFKA_BROKERS" ? "127.0.0.1:1" : (settings[name] ?? ""),
        )
        .replace("--host=0.0.0.0", "--host=127.0.0.1")
        .replace(/-port=\d+/, "-port=0"),
    );
    const said = async (): Promise<{ readonly code: number; readonly stderr: string }> => {
      let stderr = "";
      const error = (text: string): boolean => {
        stderr += text;
        return true;
      };
      const code = await run(args, {
        stdout: { write: () => true },
        stderr: { write: error },
        stdin: (async function* () {})(),
        cwd: folder,
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" },
      });
      return { code, stderr };
    };
    const config = "/etc/otel-trajectory/config/consume.yaml";
    put(config, `${files.get(config)}  noSuchLimit: 1\n`);
    expect(await said()).toMatchObject({ code: 2, stderr: expect.stringMatching(/consume: .*noSuchLimit/) });
    put(config, files.get(config) ?? "");
    expect(await said()).toMatchObject({ code: 2, stderr: expect.stringMatching(/127\.0\.0\.1:1\b|ECONNREFUSED/) });
    const ports = container.args.flatMap((arg) => /--port=(\d+)/.exec(arg)?.slice(1).map(Number) ?? []);
    expect(container.ports.map(({ containerPort }) => containerPort)).toEqual(ports);
    const annotations = consumer.spec?.template?.metadata.annotations;
    expect(annotations?.["prometheus.io/port"]).toBe(`${ports[0]}`);
  });
});
