import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type SecureClientSessionOptions } from "node:http2";
import { request as askTls } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { agentRun, request } from "../cli/otlp.ts";
import { decoded, protobufOf } from "../support/otlp-protobuf.ts";
import { until } from "../support/telemetry.ts";
import { ask, PROTOBUF_TYPE, start, type TestService } from "./support.ts";

const PATH = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const run = (trace: string): Buffer => protobufOf(request(agentRun(trace, ["a"], { "aip.expected_steps": '["a"]' })));

const services: TestService[] = [];
const sessions: ClientHttp2Session[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

async function started(given: Parameters<typeof start>[0]): Promise<TestService> {
  const service = await start({ grpcPort: 0, ...given });
  services.push(service);
  return service;
}

/** A connection of HTTP/2 as it is, so that a call can stop wherever it likes. */
function connection(
  service: TestService,
  options: SecureClientSessionOptions = {},
  url = `http://127.0.0.1:${service.grpcPort}`,
): ClientHttp2Session {
  const session = connect(url, options);
  session.on("error", () => undefined);
  sessions.push(session);
  return session;
}

interface Call {
  readonly stream: ClientHttp2Stream;
  /** gRPC's code, once there is one. */
  code(): number | undefined;
  readonly details: () => Buffer;
}

/** Begins a call and sends `body`, if any; the call stays open unless it is ended. */
function begin(session: ClientHttp2Session, body?: Buffer, authorization?: string): Call {
  const stream = session.request({
    ":method": "POST",
    ":path": PATH,
    "content-type": "application/grpc",
    te: "trailers",
    ...(authorization === undefined ? {} : { authorization }),
  });
  let code: number | undefined;
  let details = "";
  const look = (headers: Readonly<Record<string, unknown>>): void => {
    if (headers["grpc-status"] === undefined) return;
    code = Number(headers["grpc-status"]);
    details = String(headers["grpc-status-details-bin"] ?? "");
  };
  stream.on("response", look);
  stream.on("trailers", look);
  stream.on("error", () => undefined);
  stream.resume();
  if (body !== undefined) stream.write(body);
  return { stream, code: () => code, details: () => Buffer.from(details, "base64") };
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The code of a whole call; undefined where there is no connection. */
async function complete(
  session: ClientHttp2Session,
  body: Buffer,
  authorization?: string,
): Promise<number | undefined> {
  const call = begin(session, framed(body), authorization);
  call.stream.end();
  await until(() => call.code() !== undefined || call.stream.destroyed);
  return call.code();
}

const metric = async ({ port }: TestService, name: string): Promise<string | undefined> =>
  (await ask(port, { method: "GET", path: "/metrics" })).text.match(new RegExp(`^${name}[^ ]* (\\d+)`, "m"))?.[1];

const pem = (name: string): Buffer => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));

test("with a certificate and a token, over both protocols: whoever has them, and nobody else", async () => {
  const service = await started({ tls: { cert: pem("cert"), key: pem("key") }, token: "t" });
  const url = `https://127.0.0.1:${service.grpcPort}`;
  const trusting = connection(service, { ca: pem("cert") }, url);
  const codes: (number | undefined)[] = [];
  for (const authorization of [undefined, "Bearer x", "Bearer t"]) {
    codes.push(await complete(trusting, run("s1"), authorization));
  }
  expect(codes).toEqual([16, 16, 0]);
  // Neither without encryption nor where the certificate is not trusted.
  expect(await complete(connection(service), run("s2"), "Bearer t")).toBeUndefined();
  expect(await complete(connection(service, {}, url), run("s3"), "Bearer t")).toBeUndefined();
  const statuses: (number | undefined)[] = [];
  for (const headers of [{}, { authorization: "Bearer x" }, { authorization: "Bearer t" }]) {
    const options = { host: "127.0.0.1", port: service.port, path: "/v1/traces", method: "POST", ca: pem("cert") };
    const asking = askTls({ ...options, headers: { ...PROTOBUF_TYPE, ...headers } });
    asking.end(run("s4"));
    const [response] = await once(asking, "response");
    statuses.push(response.resume().statusCode);
  }
  expect(statuses).toEqual([401, 401, 200]);
  await service.stop();
  expect(service.rows()).toHaveLength(2);
});

describe("OTLP/gRPC against those who mean no good", () => {
  test("connections beyond the limit are closed, and the others go on", async () => {
    const service = await started({ limits: { maxConnections: 10 } });
    const first = connection(service);
    expect(await complete(first, run("c1"))).toBe(0);
    for (let count = 0; count < 30; count += 1) {
      const socket = connectTcp(service.grpcPort as number, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.resume();
      sockets.push(socket);
    }
    await until(() => sockets.filter((socket) => socket.destroyed).length >= 21);
    expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(9);
    expect(await complete(first, run("c2"))).toBe(0);
    expect(await metric(service, "trajectory_serve_connections_dropped_total")).toBe("21");
    // One that goes away makes room.
    first.close();
    let code: number | undefined;
    for (let tries = 0; code === undefined && tries < 100; tries += 1) {
      code = await complete(connection(service), run("c3"));
    }
    expect(code).toBe(0);
  });

  test("calls are counted over all connections, and told to come again", async () => {
    const service = await started({ limits: { maxConcurrentRequests: 4 } });
    const held = [connection(service), connection(service)].flatMap((session) => [begin(session), begin(session)]);
    await until(() => held.every(({ stream }) => !stream.pending));
    const third = connection(service);
    let refused = begin(third);
    await until(() => refused.code() !== undefined);
    expect(refused.code()).toBe(14);
    expect(decoded("RpcStatusWithDetails", refused.details())).toMatchObject({
      message: "too many requests are under way",
      details: [{ value: { retryDelay: { seconds: "1" } } }],
    });
    // One that goes away makes room, and so does one that is answered.
    held[0]?.stream.close();
    let code: number | undefined = 14;
    for (let tries = 0; code === 14 && tries < 100; tries += 1) code = await complete(third, run("n1"));
    expect(code).toBe(0);
    held[1]?.stream.end(framed(run("n2")));
    await until(() => held[1]?.code() === 0);
    const more = [begin(third), begin(third)];
    await until(() => more.every(({ stream }) => !stream.pending));
    refused = begin(third);
    await until(() => refused.code() !== undefined);
    expect([refused.code(), more.map(({ code }) => code())]).toEqual([14, [undefined, undefined]]);
  });

  test.each([
    ["says nothing", {}, ""],
    ["says something else", {}, "GET / HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["never shakes hands", { tls: { cert: pem("cert"), key: pem("key") } }, ""],
    ["speaks without encryption", { tls: { cert: pem("cert"), key: pem("key") } }, "PRI * HTTP/2.0\r\n\r\n"],
  ])("a connection that %s is closed", async (_, given, sends) => {
    const limits = { keepAliveMillis: 100, headersTimeoutMillis: 100, maxConnections: 1 };
    const service = await started({ ...given, limits });
    const socket = connectTcp(service.grpcPort as number, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.resume();
    sockets.push(socket);
    socket.write(sends);
    await until(() => socket.destroyed);
  });

  test("a connection that never shakes hands does not outlast the service", async () => {
    const service = await started({ tls: { cert: pem("cert"), key: pem("key") } });
    const socket = connectTcp(service.grpcPort as number, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.resume();
    sockets.push(socket);
    await new Promise((resolve) => socket.once("connect", resolve));
    await service.stop();
    await until(() => socket.destroyed);
  });

  test.each([
    ["sends nothing", undefined],
    ["sends half a message", framed(run("half")).subarray(0, 40)],
    ["sends a message and does not end", framed(run("open"))],
  ])("a call that %s is let go", async (_, body) => {
    const service = await started({ limits: { requestTimeoutMillis: 100, maxConcurrentRequests: 1 } });
    const call = begin(connection(service), body);
    await until(() => call.code() !== undefined);
    expect(call.code()).toBe(4);
    expect(await complete(connection(service), run("after"))).toBe(0);
  });

  test("the token is asked for before a message is read", async () => {
    const service = await started({ token: "t" });
    const session = connection(service);
    const call = begin(session, framed(run("t")).subarray(0, 40));
    await until(() => call.code() !== undefined);
    expect(call.code()).toBe(16);
    expect(await complete(session, run("t"), "Bearer t")).toBe(0);
  });
});
