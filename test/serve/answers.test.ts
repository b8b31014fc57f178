import { gzipSync } from "node:zlib";
import { ProtobufLogsSerializer } from "@opentelemetry/otlp-transformer";
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentRun, request } from "../cli/otlp.ts";
import { decoded, protobufOf } from "../support/otlp-protobuf.ts";
import { ask, JSON_TYPE, PROTOBUF_TYPE, post, start, type TestService } from "./support.ts";

let service: TestService;
beforeAll(async () => {
  service = await start({ limits: { maxRequestBytes: 50_000, maxInflatedBytes: 100_000 } });
});
afterAll(async () => {
  await service.stop();
});

const run = (trace: string): object => request(agentRun(trace, ["a", "b"]));
const bad = (value: object): unknown => {
  const text = JSON.stringify(value);
  return JSON.parse(text.replace(/"traceId":"[0-9a-f]+"/, '"traceId":"0000"'));
};

describe("success", () => {
  test("in JSON, in the request's own encoding", async () => {
    const reply = await post(service.port, run("ok-1"), { "content-type": "application/json; charset=utf-8" });
    expect([reply.status, reply.headers["content-type"], reply.text]).toEqual([200, "application/json", "{}"]);
  });

  test.each(["application/x-protobuf", "application/protobuf"])("in protobuf: %s", async (type) => {
    const reply = await ask(service.port, { headers: { "content-type": type }, body: protobufOf(run("ok-2")) });
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/x-protobuf"]);
    expect(decoded("ExportTraceServiceResponse", reply.body)).toEqual({});
  });

  test.each(["gzip", "GZIP", "x-gzip"])("compressed: %s", async (coding) => {
    const headers = { ...PROTOBUF_TYPE, "content-encoding": coding };
    expect((await ask(service.port, { headers, body: gzipSync(protobufOf(run("ok-3"))) })).status).toBe(200);
  });

  test.each(["identity", ""])("not compressed: %j", async (coding) => {
    expect((await post(service.port, run("ok-4"), { "content-encoding": coding })).status).toBe(200);
  });

  test.each(["http://x/v1/traces", "HTTPS://x:1/v1/traces?a=b"])("by an address in full: %s", async (path) => {
    const body = JSON.stringify(run("ok-5"));
    expect((await ask(service.port, { path, headers: JSON_TYPE, body })).status).toBe(200);
  });

  test("a request without spans, in both encodings", async () => {
    expect((await post(service.port, {})).text).toBe("{}");
    expect((await post(service.port, { resourceSpans: [] })).text).toBe("{}");
    expect((await ask(service.port, { headers: PROTOBUF_TYPE, body: "" })).status).toBe(200);
  });

  test("partial: what was taken is taken, what was not is counted and named", async () => {
    const reply = await post(service.port, bad(run("part")));
    const message = expect.stringContaining("resourceSpans[0].scopeSpans[0].spans[0].traceId");
    expect([reply.status, reply.json()]).toEqual([
      200,
      { partialSuccess: { rejectedSpans: "1", errorMessage: message } },
    ]);
    const body = protobufOf(bad(run("part-2")));
    const protobuf = await ask(service.port, { headers: PROTOBUF_TYPE, body });
    expect(protobuf.status).toBe(200);
    expect(decoded("ExportTraceServiceResponse", protobuf.body)).toEqual({
      partialSuccess: { rejectedSpans: "1", errorMessage: message },
    });
  });
});

describe("garbage is answered with 400, a Status and a reason", () => {
  test.each([
    ["not JSON", "{"],
    ["not a message", "[]"],
    ["null", "null"],
    ["a member of the wrong type", '{"resourceSpans": 5}'],
    ["nothing that could be read", JSON.stringify(bad(request(agentRun("none", []))))],
  ])("JSON: %s", async (_, body) => {
    const reply = await ask(service.port, { headers: JSON_TYPE, body });
    expect([reply.status, reply.headers["content-type"]]).toEqual([400, "application/json"]);
    expect(reply.json()).toEqual({ message: expect.stringMatching(/.{20}/) });
  });

  const whole = protobufOf(run("cut"));
  test.each([
    ["text", Buffer.from("hello")],
    ["a length beyond the end", Buffer.from([10, 200, 1, 1])],
    ["an endless number", Buffer.alloc(20, 0xff)],
    ["field 0", Buffer.from([0, 0])],
  ])("protobuf: %s", async (_, body) => {
    const reply = await ask(service.port, { headers: PROTOBUF_TYPE, body });
    expect([reply.status, reply.headers["content-type"]]).toEqual([400, "application/x-protobuf"]);
    expect(decoded("RpcStatus", reply.body)).toEqual({ message: expect.stringMatching(/.{20}/) });
  });

  test("protobuf, cut anywhere: refused, and nothing of it is held", async () => {
    const other = await start();
    for (let length = 1; length < whole.length; length += 7) {
      const reply = await ask(other.port, { headers: PROTOBUF_TYPE, body: whole.subarray(0, length) });
      expect(reply.status, `${length} bytes`).toBe(400);
    }
    await other.stop();
    expect(other.log().at(-1)).toMatchObject({ message: "ended", spans: 0 });
  });

  test.each([
    ["no gzip at all", Buffer.from("hello")],
    ["gzip that ends too early", gzipSync(JSON.stringify(run("gz"))).subarray(0, 40)],
  ])("%s", async (_, body) => {
    const reply = await ask(service.port, { headers: { ...JSON_TYPE, "content-encoding": "gzip" }, body });
    expect([reply.status, reply.json()]).toEqual([400, { message: "the body is not gzip, or ends too early" }]);
  });
});

describe("what is not for us", () => {
  test.each(["GET", "PUT", "DELETE", "OPTIONS"])("405 for %s", async (method) => {
    const reply = await ask(service.port, { method, headers: JSON_TYPE });
    expect([reply.status, reply.headers["allow"]]).toEqual([405, "POST"]);
    expect(reply.json()).toEqual({ message: "the method must be one of POST" });
  });

  test.each(["/", "/v1/logs", "/v1/metrics", "/v1/traces/"])("404 for %s", async (path) => {
    expect((await ask(service.port, { path, headers: JSON_TYPE, body: "{}" })).status).toBe(404);
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", ""])("415 for content type %j", async (type) => {
    const reply = await ask(service.port, { headers: { "content-type": type }, body: "{}" });
    expect([reply.status, reply.json()]).toEqual([
      415,
      { message: "content-type must be application/x-protobuf or application/json" },
    ]);
  });

  test.each(["br", "deflate", "zstd", "gzip, gzip"])("415 for content encoding %s", async (coding) => {
    const reply = await post(service.port, run("coding"), { "content-encoding": coding });
    expect([reply.status, reply.headers["accept-encoding"]]).toEqual([415, "gzip, identity"]);
  });
});

describe("requests of other signals", () => {
  test.each(["resourceLogs", "resource_logs", "resourceMetrics", "resource_profiles"])(
    "%s: 400, and what it is",
    async (name) => {
      const reply = await post(service.port, { [name]: [{}] });
      const message = `not an ExportTraceServiceRequest in json: it holds ${name}, and no resourceSpans`;
      expect([reply.status, reply.json()]).toEqual([400, { message }]);
    },
  );

  test("members that OTLP does not know are ignored", async () => {
    expect((await post(service.port, { later: 1 })).status).toBe(200);
  });

  test("logs in protobuf: 400", async () => {
    const kept = new InMemoryLogRecordExporter();
    const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: kept })] });
    provider.getLogger("test").emit({ body: "text", attributes: { key: "value" } });
    await provider.forceFlush();
    const body = Buffer.from(ProtobufLogsSerializer.serializeRequest(kept.getFinishedLogRecords()) as Uint8Array);
    expect((await ask(service.port, { headers: PROTOBUF_TYPE, body })).status).toBe(400);
  });
});

describe("too much", () => {
  test("413 for a body that says it is too long, before it is read", async () => {
    const reply = await post(service.port, { pad: "x".repeat(60_000) });
    expect([reply.status, reply.json()]).toEqual([413, { message: "the body is longer than 50000 bytes" }]);
  });

  test("413 for a body that turns out to be too long", async () => {
    const headers = { ...JSON_TYPE, "transfer-encoding": "chunked" };
    expect((await ask(service.port, { headers, body: "x".repeat(60_000) })).status).toBe(413);
  });

  test("413 for a zip bomb: inflating it stops at the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, 0x20));
    expect(bomb.length).toBeLessThan(50_000);
    const before = process.memoryUsage().arrayBuffers;
    const reply = await ask(service.port, { headers: { ...JSON_TYPE, "content-encoding": "gzip" }, body: bomb });
    expect([reply.status, reply.json()]).toEqual([
      413,
      { message: "the body is longer than 100000 bytes once decompressed" },
    ]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  });
});

test("health, readiness and metrics", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    const reply = await ask(service.port, { method: "GET", path });
    expect([reply.status, reply.json()]).toEqual([200, { status: "ok" }]);
    expect((await ask(service.port, { method: "HEAD", path })).text).toBe("");
    expect((await ask(service.port, { path })).status).toBe(405);
  }
  const metrics = await ask(service.port, { method: "GET", path: "/metrics" });
  expect(metrics.status).toBe(200);
  expect(metrics.headers["content-type"]).toContain("text/plain");
  expect(metrics.text).toMatch(/^trajectory_units_open\{.*unit="trajectory".*\} \d+$/m);
  expect(metrics.text).toMatch(/^trajectory_serve_spans_received_total\{.*\} \d+$/m);
  expect(metrics.text).toMatch(/^http_server_request_duration_count\{.*status_code="413".*\} 3$/m);
});

test("nothing of what was sent is in the log", async () => {
  const text = JSON.stringify(service.log());
  expect(service.log()[0]).toMatchObject({ level: "info", message: "ready", url: service.url });
  expect(text).not.toMatch(/assistant|execute_tool|hello/);
});
