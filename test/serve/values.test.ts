import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { agentRun, request } from "../cli/otlp.ts";
import { decoded, protobufOf } from "../support/otlp-protobuf.ts";
import { ask, JSON_TYPE, PROTOBUF_TYPE, post, start, type TestService } from "./support.ts";

const PATH = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const run = (trace: string): object => request(agentRun(trace, ["a"], { "aip.expected_steps": '["a"]' }));

const services: TestService[] = [];
const started = async (given: Parameters<typeof start>[0]): Promise<TestService> => {
  const service = await start(given);
  services.push(service);
  return service;
};

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

/** gRPC's code for one call. */
function codeOf(port: number, body: Buffer): Promise<number> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const bytes = (message: Buffer): Buffer => message;
  return new Promise((resolve) => {
    client.makeUnaryRequest(PATH, bytes, bytes, body, (error: ServiceError | null) => {
      client.close();
      resolve(error?.code ?? 0);
    });
  });
}

/** A span with empty events: seven values, and two bytes and one value for each event. */
function withEvents(count: number): Buffer {
  const ids = { traceId: "1".repeat(32), spanId: "1".repeat(16) };
  const span = {
    ...ids,
    startTimeUnixNano: "1",
    endTimeUnixNano: "2",
    events: Array.from({ length: count }, () => ({})),
  };
  return protobufOf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
}

describe("a short body of very many values", () => {
  // One value for each 32 bytes: 1 000.
  const limits = { maxInflatedBytes: 32_000 };
  const tooMany = "the request holds more than 1000 values";
  const lists = (count: number): string => `{"resourceSpans":[${"[],".repeat(count - 1)}[]]}`;

  test.each([
    // Two around the lists, the lists, and the commas between them.
    ["lists", lists(500), lists(499)],
    ["depth", `{"x":${"[".repeat(1_000)}${"]".repeat(1_000)}}`, `{"x":${"[".repeat(999)}${"]".repeat(999)}}`],
    ["members", `{"x":[0${",0".repeat(999)}]}`, `{"x":[0${",0".repeat(998)}]}`],
  ])("is refused before it takes memory: JSON of %s", async (_, more, enough) => {
    const { port } = await started({ limits });
    const asked = (body: string): ReturnType<typeof ask> => ask(port, { headers: JSON_TYPE, body });
    const reply = await asked(more);
    expect([reply.status, reply.json()]).toEqual([413, { message: tooMany }]);
    expect((await asked(enough)).status).not.toBe(413);
    expect((await post(port, run("after"))).status).toBe(200);
  });

  test.each([
    // Empty messages of two bytes: ResourceSpans in the request, and events in a span.
    ["resources", (count: number) => Buffer.alloc(count * 2, Buffer.from([0x0a, 0]))],
    ["events", (count: number) => withEvents(count - 7)],
  ])("is refused before it takes memory: protobuf of %s", async (_, bodyOf) => {
    const { port, grpcPort } = await started({ limits, grpcPort: 0 });
    const asked = (body: Buffer): ReturnType<typeof ask> => ask(port, { headers: PROTOBUF_TYPE, body });
    const reply = await asked(bodyOf(1_001));
    expect([reply.status, decoded("RpcStatus", reply.body)]).toEqual([413, { message: tooMany }]);
    expect((await asked(bodyOf(1_000))).status).toBe(200);
    expect(await codeOf(grpcPort as number, bodyOf(1_001))).toBe(8);
    expect(await codeOf(grpcPort as number, bodyOf(1_000))).toBe(0);
  });

  test("is none where there are long texts, whatever is in them", async () => {
    const { port } = await started({ limits });
    const spans = agentRun("text", ["a"], { "aip.expected_steps": '["a"]', note: '[{",'.repeat(5_000) });
    expect((await post(port, request(spans))).text).toBe("{}");
  });
});
