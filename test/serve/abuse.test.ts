import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { agentRun, request } from "../cli/otlp.ts";
import { until } from "../support/telemetry.ts";
import { ask, JSON_TYPE, post, start, type TestService } from "./support.ts";

/** `TRAJECTORY_TEST_CONNECTIONS=10000` asks for the full size. */
const CONNECTIONS = Number(process.env["TRAJECTORY_TEST_CONNECTIONS"] ?? "200");

const services: TestService[] = [];
const sockets: Socket[] = [];
const started = async (given: Parameters<typeof start>[0]): Promise<TestService> => {
  const service = await start(given);
  services.push(service);
  return service;
};

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

/** A raw connection that keeps what it was sent. */
async function open(port: number, sends = ""): Promise<{ socket: Socket; closed: () => boolean; text: () => string }> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  let text = "";
  let closed = false;
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    closed = true;
  });
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve);
    socket.once("close", () => resolve());
  });
  if (sends !== "") socket.write(sends);
  return { socket, closed: () => closed, text: () => text };
}

const HEAD = "POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
const run = (trace: string): object => request(agentRun(trace, ["a"], { "aip.expected_steps": '["a"]' }));

interface Grouped {
  readonly resourceSpans: readonly object[];
}

describe("a token", () => {
  test("is asked for on spans and metrics, not on health", async () => {
    const { port } = await started({ token: "s3cret" });
    for (const authorization of [undefined, "Bearer wrong", "Basic s3cret", "s3cret", "Bearer s3cret s3cret"]) {
      const headers = authorization === undefined ? {} : { authorization };
      const reply = await post(port, run("t"), headers as Record<string, string>);
      expect([reply.status, reply.headers["www-authenticate"]], authorization).toEqual([401, "Bearer"]);
    }
    expect((await post(port, run("t"), { authorization: "Bearer s3cret" })).status).toBe(200);
    expect((await post(port, run("u"), { authorization: "bearer s3cret" })).status).toBe(200);
    expect((await ask(port, { method: "GET", path: "/metrics" })).status).toBe(401);
    const headers = { authorization: "Bearer s3cret" };
    expect((await ask(port, { method: "GET", path: "/metrics", headers })).status).toBe(200);
    expect((await ask(port, { method: "GET", path: "/healthz" })).status).toBe(200);
  });

  test("is asked for before a body is read", async () => {
    const { port } = await started({ token: "s3cret" });
    const { text } = await open(port, `${HEAD}content-length: 1000000\r\n\r\n`);
    await until(() => text().includes("401"));
  });
});

describe("slow clients are let go", () => {
  test.each([
    ["sends nothing", ""],
    ["sends half a head", "POST /v1/traces HT"],
    ["sends half a body", `${HEAD}content-length: 100\r\n\r\n{`],
    ["sends half of a chunk", `${HEAD}transfer-encoding: chunked\r\n\r\n64\r\n{`],
  ])("one that %s", async (_, sends) => {
    const { port } = await started({ limits: { headersTimeoutMillis: 200, requestTimeoutMillis: 300 } });
    const { closed } = await open(port, sends);
    await until(closed);
    expect((await post(port, run("after"))).status).toBe(200);
  });

  test("one that goes on sending a refused body gets to read the answer first", async () => {
    const { port } = await started({ limits: { maxRequestBytes: 1_000 } });
    const { closed, text, socket } = await open(port, `${HEAD}content-length: 100000000\r\n\r\n`);
    const sending = setInterval(() => socket.writable && socket.write("x".repeat(1_000)), 10);
    await until(closed);
    clearInterval(sending);
    expect(text()).toContain("HTTP/1.1 413");
    expect(text()).toContain("the body is longer than 1000 bytes");
  });

  test("one that goes away in mid-request leaves nothing behind", async () => {
    const { port } = await started({ limits: { maxConcurrentRequests: 1 } });
    const { socket } = await open(port, `${HEAD}content-length: 100\r\n\r\n{`);
    const status = async (): Promise<number> => (await post(port, {})).status;
    while ((await status()) !== 429);
    socket.destroy();
    while ((await status()) !== 200);
  });
});

describe("too many at once", () => {
  test("requests beyond the limit are told to come again", async () => {
    const { port } = await started({ limits: { maxConcurrentRequests: 2 } });
    const held = [await open(port), await open(port)];
    for (const { socket } of held) socket.write(`${HEAD}content-length: 2\r\n\r\n{`);
    let reply = await post(port, {});
    while (reply.status === 200) reply = await post(port, {});
    expect([reply.status, reply.headers["retry-after"], reply.json()]).toEqual([
      429,
      "1",
      { message: "too many requests are under way" },
    ]);
    for (const { socket } of held) socket.write("}");
    await until(() => held.every(({ text }) => text().includes("200 OK")));
    expect((await post(port, {})).status).toBe(200);
  });

  test("bytes beyond the limit of all bodies are told to come again", async () => {
    const { port } = await started({ limits: { maxPendingBytes: 1_000 } });
    const { socket, text } = await open(port, `${HEAD}content-length: 901\r\n\r\n${" ".repeat(900)}`);
    let reply = await post(port, { pad: "x".repeat(500) });
    while (reply.status === 200) reply = await post(port, { pad: "x".repeat(500) });
    expect([reply.status, reply.json()]).toEqual([429, { message: "too many bytes are being received" }]);
    socket.write("5");
    await until(() => text().includes("400 Bad Request"));
    expect((await post(port, { pad: "x".repeat(500) })).status).toBe(200);
  });

  test("connections beyond the limit are closed, and the others go on", async () => {
    const service = await started({ limits: { maxConnections: CONNECTIONS / 2 } });
    const open50 = async (): Promise<unknown> => Promise.all(Array.from({ length: 50 }, () => open(service.port)));
    for (let count = 0; count < CONNECTIONS; count += 50) await open50();
    await until(() => sockets.filter((socket) => socket.destroyed).length >= CONNECTIONS / 2);
    const kept = sockets.find((socket) => !socket.destroyed) as Socket;
    const answered = new Promise<string>((resolve) => kept.once("data", (data) => resolve(`${data}`)));
    kept.write(`${HEAD}content-length: 2\r\n\r\n{}`);
    expect(await answered).toContain("200 OK");
  });
});

describe("spans that mean no good", () => {
  test("of any time at all are scored", async () => {
    const service = await started({});
    const times = ["1", "1000000000", "4102444800000000000", "18446744073709551615"];
    for (const [index, time] of times.entries()) {
      const text = JSON.stringify(run(`skew-${index}`));
      const skewed = JSON.parse(text.replaceAll(/"(start|end)TimeUnixNano":"\d+"/g, `"$1TimeUnixNano":"${time}"`));
      expect((await post(service.port, skewed)).text).toBe("{}");
    }
    const backwards = JSON.stringify(run("back")).replaceAll(/"endTimeUnixNano":"\d+"/g, '"endTimeUnixNano":"1"');
    expect((await post(service.port, JSON.parse(backwards))).text).toBe("{}");
    await service.stop();
    const scored = service.rows().filter((row) => row.metric === "step_accuracy");
    expect(scored.map((row) => [row.status, row.score])).toEqual(Array.from({ length: 5 }, () => ["scored", 1]));
  });

  test("more than a trace may have: the rest is rejected, and said", async () => {
    const service = await started({ engine: { maxSpansPerTrace: 10 } });
    const tools = Array.from({ length: 15 }, (_, index) => `t${index}`);
    const reply = await post(service.port, request(agentRun("many", tools)));
    expect(reply.json()).toEqual({
      partialSuccess: {
        rejectedSpans: "6",
        errorMessage: "6 belong to a trace that has as many spans as one may have",
      },
    });
  });

  test("after their trace's window: rejected, and said", async () => {
    const service = await started({ engine: { idleMillis: 1, lateWindowMillis: 0 } });
    const spans = agentRun("late", ["a", "b"], { "aip.expected_steps": '["a"]' });
    await post(service.port, request(spans.slice(0, 2)));
    await until(() => service.rows().length > 0);
    const reply = await post(service.port, request(spans.slice(2)));
    expect(reply.json()).toEqual({
      partialSuccess: {
        rejectedSpans: "1",
        errorMessage: "1 came after their trace was scored and its window had closed",
      },
    });
  });

  test("a million that are nothing are told of in few words", async () => {
    const { port } = await started({});
    const spans = `[${"{},".repeat(1_000_000)}{}]`;
    const body = `{"resourceSpans":[{"scopeSpans":[{"spans":${spans}}]}]}`;
    const reply = await ask(port, { headers: JSON_TYPE, body });
    expect(reply.status).toBe(400);
    expect(reply.text.length).toBeLessThan(1_100);
  });
});

describe("a full memory", () => {
  test.each(["resource", "scope", "annotation"])("is told by everything that is held, a long %s too", async (what) => {
    const { port } = await started({ engine: { maxBufferedBytes: 400_000 } });
    const long = "x".repeat(60_000);
    const statuses: number[] = [];
    for (let trace = 0; trace < 10; trace += 1) {
      const spans = agentRun(`m${trace}`, [], what === "annotation" ? { "aip.expected_steps": `["${long}"]` } : {});
      const [group] = (request(spans, what === "scope" ? `${long}${trace}` : "test") as Grouped).resourceSpans;
      const attributes = what === "resource" ? [{ key: "long", value: { stringValue: `${long}${trace}` } }] : [];
      statuses.push((await post(port, { resourceSpans: [{ ...group, resource: { attributes } }] })).status);
    }
    expect(statuses).toEqual([200, 200, 200, ...Array.from({ length: 7 }, () => 429)]);
  });

  test("turns senders away, loses nothing, and takes spans again once traces have gone quiet", async () => {
    const service = await started({ engine: { maxBufferedBytes: 60_000, idleMillis: 300, lateWindowMillis: 60_000 } });
    let taken = 0;
    let turnedAway = 0;
    for (let trace = 0; turnedAway < 3 || taken < 60; trace += 1) {
      const reply = await post(service.port, run(`f${trace}`));
      if (reply.status === 200) taken += 1;
      else {
        turnedAway += 1;
        expect([reply.status, reply.headers["retry-after"]]).toEqual([429, "1"]);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await service.stop();
    const rows = service.rows().filter((row) => row.metric === "step_accuracy");
    expect(rows.length).toBe(taken);
    expect(rows.filter((row) => row.incomplete_reasons.includes("evicted"))).toEqual([]);
    expect(service.log().filter((line) => line["message"] === "requests are turned away for now")).toHaveLength(1);
  });
});
