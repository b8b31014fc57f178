import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentRun, hex, request } from "../cli/otlp.ts";
import { decoded } from "../support/otlp-protobuf.ts";
import { until } from "../support/telemetry.ts";
import { post, start } from "./support.ts";

/** A backend that takes OTLP/HTTP in protobuf, or answers with what `status` says. */
class Backend {
  status = 200;
  readonly asked: { readonly path: string; readonly status: number; readonly body: Buffer }[] = [];
  readonly #server: Server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const raw = Buffer.concat(chunks);
      const body = incoming.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
      this.asked.push({ path: incoming.url ?? "", status: this.status, body });
      response.writeHead(this.status, { "content-type": "application/x-protobuf" }).end();
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Bodies that were taken at a path. */
  taken(path: string): readonly Buffer[] {
    return this.asked.filter((each) => each.path === path && each.status === 200).map((each) => each.body);
  }

  get events(): readonly Event[] {
    return this.taken("/v1/logs").flatMap((body) => {
      const { resourceLogs } = decoded("ExportLogsServiceRequest", body) as unknown as Logs;
      return resourceLogs.flatMap((each) => each.scopeLogs.flatMap((scope) => scope.logRecords));
    });
  }
}

interface Logs {
  readonly resourceLogs: readonly { readonly scopeLogs: readonly { readonly logRecords: readonly Event[] }[] }[];
}
interface Event {
  readonly eventName: string;
  readonly traceId: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

const attribute = (event: Event, key: string): unknown =>
  Object.values(event.attributes.find((each) => each.key === key)?.value ?? {})[0];
const run = (trace: string): object => request(agentRun(trace, ["a", "b"], { "aip.expected_steps": '["a","c"]' }));

let backend: Backend;
beforeEach(async () => {
  backend = new Backend();
  process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = await backend.listen();
  process.env["OTEL_EXPORTER_OTLP_COMPRESSION"] = "gzip";
  // The exporter gives up before its own second attempt, so that it is ours to try again.
  process.env["OTEL_EXPORTER_OTLP_TIMEOUT"] = "300";
});
afterEach(() => {
  delete process.env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  delete process.env["OTEL_EXPORTER_OTLP_COMPRESSION"];
  delete process.env["OTEL_EXPORTER_OTLP_TIMEOUT"];
  backend.close();
});

describe("results over OTLP", () => {
  test("leave as events in the context of their span, as metrics and as evaluation spans", async () => {
    const service = await start({ otlp: true, spans: true, rows: undefined });
    expect((await post(service.port, run("out"))).status).toBe(200);
    expect(await service.stop()).toBe(true);
    const [event] = backend.events as [Event];
    expect(backend.events).toHaveLength(1);
    expect(event.eventName).toBe("gen_ai.evaluation.result");
    expect(Buffer.from(event.traceId, "base64").toString("hex")).toBe(hex("out", 32));
    expect(attribute(event, "gen_ai.evaluation.name")).toBe("step_accuracy");
    expect(attribute(event, "gen_ai.evaluation.score.value")).toBe(0.5);
    expect(attribute(event, "trajectory.unit_id")).toBe(`trajectory:${hex("out", 32)}`);
    expect(backend.taken("/v1/metrics").at(-1)?.includes("trajectory.evaluation.score")).toBe(true);
    const [spans] = backend.taken("/v1/traces") as [Buffer];
    expect(spans.includes("evaluate trajectory")).toBe(true);
    expect(spans.includes("trajectory.step_accuracy.score")).toBe(true);
    expect(backend.taken("/v1/logs")[0]?.includes("otel-trajectory")).toBe(true);
  });

  test("our own evaluation spans, sent back to us, are no part of anything", async () => {
    const service = await start({ otlp: true, spans: true });
    await post(service.port, run("own"));
    await service.stop();
    const again = await start();
    for (const body of backend.taken("/v1/traces")) {
      const sent = await fetch(`${again.url}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/x-protobuf" },
        body,
      });
      expect(sent.status).toBe(200);
    }
    await again.stop();
    expect(backend.taken("/v1/traces").length).toBeGreaterThan(0);
    expect(again.rows()).toEqual([]);
  });
});

describe("a backend that is down", () => {
  test("costs no result: all of them arrive when it is back, and senders wait meanwhile", async () => {
    backend.status = 503;
    const service = await start({ otlp: true, engine: { idleMillis: 1 }, limits: { maxExportQueue: 20 } });
    let taken = 0;
    let turnedAway = "";
    for (let trace = 0; turnedAway === ""; trace += 1) {
      const reply = await post(service.port, run(`d${trace}`));
      if (reply.status === 200) taken += 1;
      else turnedAway = reply.text;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(JSON.parse(turnedAway)).toEqual({ message: "results cannot be exported as fast as spans come" });
    expect(taken).toBeGreaterThanOrEqual(20);
    await until(() => backend.asked.some(({ path, status }) => path === "/v1/logs" && status === 503));
    backend.status = 200;
    await until(() => backend.events.length >= taken, 20_000);
    expect(service.log()).toContainEqual(
      expect.objectContaining({ message: "results cannot be exported now and are tried again", signal: "logs" }),
    );
    expect((await post(service.port, run("up"))).status).toBe(200);
    expect(await service.stop()).toBe(true);
    const ids = backend.events.map((event) => attribute(event, "trajectory.unit_id"));
    expect(new Set(ids).size).toBe(taken + 1);
    expect(ids).toHaveLength(taken + 1);
  });

  test("and refuses for good: the loss is counted, said, and no success", async () => {
    backend.status = 400;
    const service = await start({ otlp: true });
    await post(service.port, run("no"));
    expect(await service.stop()).toBe(false);
    expect(service.log()).toContainEqual(
      expect.objectContaining({ level: "error", message: "results could not be exported and are lost", count: 1 }),
    );
    expect(service.log().at(-1)).toMatchObject({ message: "ended", results_lost: 1 });
  });

  test("does not keep the service from ending in time", async () => {
    backend.status = 503;
    const service = await start({ otlp: true, limits: { drainTimeoutMillis: 400 } });
    await post(service.port, run("late"));
    expect(await service.stop()).toBe(false);
    expect(service.log().at(-1)).toMatchObject({ message: "ended", results_lost: 1 });
  });
});
