import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Slots } from "../../src/serve/slots.ts";
import { until } from "../support/telemetry.ts";
import { post, start, type TestService } from "./support.ts";

describe("places of requests", () => {
  afterEach(() => void vi.useRealTimers());

  test("the sender that has been waited for longest gives way, after two seconds", () => {
    vi.useFakeTimers();
    let idle = 0;
    const gone: string[] = [];
    const slots = new Slots(2, () => {
      idle += 1;
    });
    const first = slots.take();
    const second = slots.take();
    vi.advanceTimersByTime(5_000);
    // Nobody waits for their senders: they wait for us.
    expect(slots.take()).toBeUndefined();
    second?.receiving(() => gone.push("second"));
    vi.advanceTimersByTime(1_000);
    first?.receiving(() => gone.push("first"));
    vi.advanceTimersByTime(999);
    expect([slots.take(), gone]).toEqual([undefined, []]);
    vi.advanceTimersByTime(1);
    const third = slots.take();
    expect([third === undefined, gone, slots.active]).toEqual([false, ["second"], 2]);
    expect(slots.take()).toBeUndefined();
    first?.received();
    vi.advanceTimersByTime(5_000);
    expect([slots.take(), gone]).toEqual([undefined, ["second"]]);
    second?.release();
    expect(slots.active).toBe(2);
    first?.release();
    first?.release();
    expect([slots.active, idle]).toEqual([1, 0]);
    third?.release();
    expect([slots.active, idle]).toEqual([0, 1]);
  });
});

describe("senders that send a little now and then do not keep others out", () => {
  let service: TestService;
  const sockets: Socket[] = [];
  const sessions: ClientHttp2Session[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const session of sessions.splice(0)) session.destroy();
    await service.stop();
  });

  test("over HTTP", async () => {
    service = await start({ limits: { maxConcurrentRequests: 2 } });
    const texts = ["", ""];
    for (const index of [0, 1]) {
      const socket = connect(service.port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        texts[index] += `${chunk}`;
      });
      await once(socket, "connect");
      socket.write(
        "POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
      );
    }
    const status = async (): Promise<number> => (await post(service.port, {})).status;
    while ((await status()) !== 429);
    while ((await status()) !== 200);
    await until(() => texts.some((text) => text.includes("HTTP/1.1 429")));
    expect(texts.join()).toContain("too many requests are under way");
  });

  test("over gRPC", async () => {
    service = await start({ grpcPort: 0, limits: { maxConcurrentRequests: 2 } });
    // A connection has as many calls as there are places.
    for (let count = 0; count < 2; count += 1) sessions.push(connectHttp2(`http://127.0.0.1:${service.grpcPort}`));
    const [slowly, quickly] = sessions as [ClientHttp2Session, ClientHttp2Session];
    const begin = (session: ClientHttp2Session, message: Buffer): { code(): number | undefined } => {
      const path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
      const head = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
      const stream = session.request(head);
      let code: number | undefined;
      const look = (headers: Readonly<Record<string, unknown>>): void => {
        if (headers["grpc-status"] !== undefined) code = Number(headers["grpc-status"]);
      };
      stream
        .on("response", look)
        .on("trailers", look)
        .on("error", () => undefined)
        .resume();
      if (session === quickly) stream.end(message);
      else stream.write(message);
      return { code: () => code };
    };
    const slow = [begin(slowly, Buffer.from([0, 0])), begin(slowly, Buffer.from([0, 0]))];
    const empty = async (): Promise<number | undefined> => {
      const call = begin(quickly, Buffer.alloc(5));
      await until(() => call.code() !== undefined);
      // HTTP/2 lets go of connections with too many streams that are refused in a second.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return call.code();
    };
    while ((await empty()) !== 14);
    while ((await empty()) !== 0);
    await until(() => slow.some(({ code }) => code() !== undefined));
    expect(slow.map(({ code }) => code()).filter((code) => code !== undefined)).toEqual([14]);
  });
});
