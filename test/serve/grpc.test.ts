import { readFileSync } from "node:fs";
import { type ChannelOptions, Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { agentRun, request } from "../cli/otlp.ts";
import { decoded, protobufOf } from "../support/otlp-protobuf.ts";
import { start, type TestService } from "./support.ts";

const PATH = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const GZIP: ChannelOptions = { "grpc.default_compression_algorithm": 2 };
const pem = (name: string): Buffer => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
const run = (trace: string): object => request(agentRun(trace, ["a"], { "aip.expected_steps": '["a"]' }));

const services: TestService[] = [];
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

async function started(given: Parameters<typeof start>[0] = {}): Promise<TestService> {
  const service = await start({ grpcPort: 0, ...given });
  services.push(service);
  return service;
}

function clientOf(service: TestService, options: ChannelOptions = {}, channel = credentials.createInsecure()): Client {
  const client = new Client(`127.0.0.1:${service.grpcPort}`, channel, options);
  clients.push(client);
  return client;
}

interface Called {
  readonly code: number;
  readonly details: string;
  readonly response?: unknown;
  readonly metadata?: Metadata;
}

/** One call: the code, and what came with it. */
function call(client: Client, body: Buffer, authorization?: string): Promise<Called> {
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set("authorization", authorization);
  const bytes = (message: Buffer): Buffer => message;
  return new Promise((resolve) => {
    client.makeUnaryRequest(PATH, bytes, bytes, body, metadata, (error: ServiceError | null, response?: Buffer) => {
      if (error !== null) resolve({ code: error.code, details: error.details, metadata: error.metadata });
      else resolve({ code: 0, details: "", response: decoded("ExportTraceServiceResponse", response as Buffer) });
    });
  });
}

describe("OTLP/gRPC", () => {
  test.each([
    ["plain", {}],
    ["gzip", GZIP],
  ])("takes spans and scores them: %s", async (_, options) => {
    const service = await started();
    const client = clientOf(service, options);
    expect(await call(client, protobufOf(run("g1")))).toEqual({ code: 0, details: "", response: {} });
    expect(await call(client, Buffer.alloc(0))).toMatchObject({ code: 0 });
    await service.stop();
    expect(service.rows()).toMatchObject([{ metric: "step_accuracy", score: 1 }]);
  });

  test("says what it did not take", async () => {
    const service = await started({ engine: { maxSpansPerTrace: 1 } });
    expect(await call(clientOf(service), protobufOf(run("g2")))).toMatchObject({
      code: 0,
      response: { partialSuccess: { rejectedSpans: "1", errorMessage: expect.stringContaining("as many spans") } },
    });
  });

  test("garbage is INVALID_ARGUMENT with a reason, and the connection goes on", async () => {
    const client = clientOf(await started());
    const broken = await call(client, protobufOf(run("g3")).subarray(0, 40));
    expect([broken.code, broken.details]).toEqual([3, expect.stringContaining("not an ExportTraceServiceRequest")]);
    expect(await call(client, protobufOf(run("g4")))).toMatchObject({ code: 0 });
  });

  test("without the token it is UNAUTHENTICATED", async () => {
    const client = clientOf(await started({ token: "t" }));
    const body = protobufOf(run("g5"));
    expect((await call(client, body)).code).toBe(16);
    expect((await call(client, body, "Bearer x")).code).toBe(16);
    expect((await call(client, body, "Bearer t")).code).toBe(0);
  });

  test("full is UNAVAILABLE, and RetryInfo says when to try again", async () => {
    const service = await started({ engine: { maxTraces: 10 } });
    const client = clientOf(service);
    let answer = await call(client, protobufOf(run("f")));
    for (let trace = 0; answer.code === 0; trace += 1) answer = await call(client, protobufOf(run(`f${trace}`)));
    expect([answer.code, answer.details]).toEqual([14, expect.stringContaining("as much is held as may be")]);
    const details = answer.metadata?.get("grpc-status-details-bin")[0];
    expect(decoded("RpcStatusWithDetails", details as Buffer)).toMatchObject({
      code: 14,
      details: [{ typeUrl: "type.googleapis.com/google.rpc.RetryInfo", value: { retryDelay: { seconds: "1" } } }],
    });
    await service.stop();
    expect(service.rows().flatMap((row) => row.incomplete_reasons)).not.toContain("evicted");
  });

  test.each([
    ["too long", {}],
    ["a zip bomb", GZIP],
  ])("a message that is %s is RESOURCE_EXHAUSTED", async (_, options) => {
    const client = clientOf(await started({ limits: { maxRequestBytes: 10_000 } }), options);
    expect((await call(client, Buffer.alloc(5_000_000))).code).toBe(8);
    expect((await call(client, protobufOf(run("g6")))).code).toBe(0);
  });

  test("with a certificate", async () => {
    const service = await started({ tls: { cert: pem("cert"), key: pem("key") } });
    expect(
      (
        await call(
          clientOf(service, { "grpc.ssl_target_name_override": "localhost" }, credentials.createSsl(pem("cert"))),
          protobufOf(run("g7")),
        )
      ).code,
    ).toBe(0);
  });

  test("in the middle of load it ends, and everything that was taken is scored", async () => {
    const service = await started();
    const client = clientOf(service);
    const codes: number[] = [];
    const sending = (async () => {
      for (let trace = 0; codes.at(-1) !== 14; trace += 1) {
        codes.push((await call(client, protobufOf(run(`e${trace}`)))).code);
        if (trace === 30) void service.stop();
      }
    })();
    await sending;
    expect(await service.stop()).toBe(true);
    expect(new Set(codes)).toEqual(new Set([0, 14]));
    expect(service.rows()).toHaveLength(codes.filter((code) => code === 0).length);
  });

  test("a port that is taken is an error at once, and leaves nothing listening", async () => {
    const service = await started();
    await expect(start({ grpcPort: service.grpcPort })).rejects.toThrow(/EADDRINUSE|bind/i);
  });
});
