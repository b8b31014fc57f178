import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

interface Pipeline {
  readonly receivers: readonly string[];
  readonly processors?: readonly string[];
  readonly exporters: readonly string[];
}
interface Config {
  readonly receivers: object;
  readonly processors?: object;
  readonly exporters: Readonly<Record<string, Exporter>>;
  readonly service: { readonly pipelines: Readonly<Record<string, Pipeline>> };
}
interface Exporter {
  readonly protocol?: { readonly otlp: Exporter };
  readonly sending_queue?: { readonly sizer: string; readonly queue_size: number };
  readonly retry_on_failure?: { readonly max_elapsed_time: string };
  readonly routing_key?: string;
  readonly routing_attributes?: readonly string[];
  readonly resolver?: object;
}

const folder = new URL("../../examples/collector/", import.meta.url);
const configs = readdirSync(folder).map((name): [string, Config] => [
  name,
  parse(readFileSync(new URL(name, folder), "utf8")),
]);
const config = (name: string): Config => Object.fromEntries(configs)[name] as Config;

test("there are two, and one that is laid over another", () => {
  const names = ["by-session.yaml", "by-trace.yaml", "group-by-trace.yaml"];
  expect(configs.map(([name]) => name)).toEqual(names);
});

describe.each(configs.filter(([name]) => name !== "group-by-trace.yaml"))(
  "%s",
  (_, { receivers, processors = {}, exporters, service }) => {
    test("its pipelines use what it defines, all of it", () => {
      const used = Object.values(service.pipelines);
      expect(new Set(used.flatMap((pipeline) => pipeline.receivers))).toEqual(new Set(Object.keys(receivers)));
      expect(new Set(used.flatMap((pipeline) => pipeline.processors ?? []))).toEqual(new Set(Object.keys(processors)));
      expect(new Set(used.flatMap((pipeline) => pipeline.exporters))).toEqual(new Set(Object.keys(exporters)));
    });

    test("its exporters hold a bounded queue and never give up what is in it", () => {
      for (const exporter of Object.values(exporters)) {
        const { sending_queue: queue, retry_on_failure: retry } = exporter.protocol?.otlp ?? exporter;
        expect(queue).toMatchObject({ sizer: "items", queue_size: expect.any(Number) });
        expect(retry?.max_elapsed_time).toBe("0s");
      }
    });
  },
);

test("the two routers differ in nothing but the key", () => {
  const { load_balancing: byTrace } = config("by-trace.yaml").exporters;
  const { load_balancing: bySession } = config("by-session.yaml").exporters;
  expect({ ...bySession, routing_attributes: undefined, routing_key: "traceID" }).toEqual({
    ...byTrace,
    routing_attributes: undefined,
  });
  expect(bySession?.routing_attributes).toEqual(["trajectory.route"]);
});
