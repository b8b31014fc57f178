import * as grpc from "@grpc/grpc-js";
import { Writer } from "protobufjs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { defineScorer } from "../../src/score/define-scorer.ts";
import { type ProtobufWriter, TAKEN } from "../../src/serve/answers.ts";
import { tokenCheck } from "../../src/serve/auth.ts";
import { GrpcFront } from "../../src/serve/grpc-front.ts";
import { HttpFront } from "../../src/serve/http-front.ts";
import { resolveServeLimits } from "../../src/serve/options.ts";
import { Turnstile } from "../../src/serve/turnstile.ts";
import { agentRun, request } from "../cli/otlp.ts";
import { until } from "../support/telemetry.ts";
import { ask, JSON_TYPE, post, start } from "./support.ts";

describe("the turnstile", () => {
  let behind = 0;
  const passed: [number, boolean | undefined][] = [];
  const ask = (turnstile: Turnstile, request: number): void => {
    const turn = turnstile.turn();
    if (turn === undefined) passed.push([request, undefined]);
    else void turn.then((mayPass) => passed.push([request, mayPass]));
  };
  const turnstile = (longestMillis = 5_000): Turnstile => {
    vi.useFakeTimers();
    passed.length = 0;
    return new Turnstile(() => behind, longestMillis);
  };
  afterEach(() => void vi.useRealTimers());

  test("lets everybody in at once while scoring keeps up", () => {
    behind = 0;
    const gate = turnstile();
    for (const request of [1, 2, 3]) ask(gate, request);
    expect(passed).toEqual([1, 2, 3].map((request) => [request, undefined]));
  });

  test("lets one in after a tenth of the time for which scoring has been behind, in their order", async () => {
    behind = 1_000;
    const gate = turnstile();
    for (const request of [1, 2, 3, 4]) ask(gate, request);
    expect(passed).toEqual([[1, undefined]]);
    await vi.advanceTimersByTimeAsync(95);
    expect(passed).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10);
    expect(passed.slice(1)).toEqual([[2, true]]);
    await vi.advanceTimersByTimeAsync(90);
    expect(passed).toHaveLength(2);
    // Everything has been scored: those that wait come in, and nobody is let in before them.
    behind = 0;
    ask(gate, 5);
    await vi.advanceTimersByTimeAsync(20);
    expect(passed.slice(2)).toEqual([3, 4, 5].map((request) => [request, true]));
    ask(gate, 6);
    expect(passed.at(-1)).toEqual([6, undefined]);
  });

  test("whoever has waited too long is told so; the next one has its own time", async () => {
    behind = 1_000_000;
    const gate = turnstile(200);
    ask(gate, 1);
    ask(gate, 2);
    await vi.advanceTimersByTimeAsync(150);
    ask(gate, 3);
    await vi.advanceTimersByTimeAsync(60);
    expect(passed.slice(1)).toEqual([[2, false]]);
    await vi.advanceTimersByTimeAsync(150);
    expect(passed.slice(2)).toEqual([[3, false]]);
  });

  test("nobody waits once it is open, and nothing is looked at any more", async () => {
    behind = 1_000_000;
    const gate = turnstile();
    for (const request of [1, 2, 3]) ask(gate, request);
    gate.open();
    ask(gate, 4);
    await vi.advanceTimersByTimeAsync(10);
    expect(passed).toEqual(expect.arrayContaining([...[2, 3].map((request) => [request, true]), [4, undefined]]));
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** Fronts whose requests wait until they are told what to do. */
function backend(): {
  readonly turns: ((mayPass: boolean) => void)[];
  readonly taken: number[];
  readonly backend: ConstructorParameters<typeof HttpFront>[0] & ConstructorParameters<typeof GrpcFront>[1];
} {
  const turns: ((mayPass: boolean) => void)[] = [];
  const taken: number[] = [];
  const intake = {
    turn: () => new Promise<boolean>((pass) => turns.push(pass)),
    full: () => undefined,
    take: (body: Buffer) => {
      taken.push(body.length);
      return TAKEN;
    },
  };
  const nothing = (): undefined => undefined;
  const newWriter = (): ProtobufWriter => Writer.create() as unknown as ProtobufWriter;
  const rest = { notReady: nothing, metrics: nothing, answered: nothing, problem: nothing, called: nothing, newWriter };
  return { turns, taken, backend: { intake, ...intake, ...rest } };
}
const LIMITS = resolveServeLimits({});

describe("requests over HTTP", () => {
  const fronts: HttpFront[] = [];
  afterEach(async () => {
    for (const front of fronts.splice(0)) {
      await front.drain(0);
      front.close();
    }
  });
  async function front(): Promise<ReturnType<typeof backend> & { readonly front: HttpFront; readonly port: number }> {
    const parts = backend();
    const front = new HttpFront(parts.backend, LIMITS, tokenCheck(undefined));
    fronts.push(front);
    return { ...parts, front, port: (await front.listen(0, "127.0.0.1")).port };
  }

  test("are taken when their turn comes, and told to wait when it does not", async () => {
    const { turns, taken, port } = await front();
    const replies = ["{}", '{"a":1}'].map((body) => ask(port, { headers: JSON_TYPE, body }));
    await until(() => turns.length === 2);
    expect(taken).toEqual([]);
    turns[0]?.(true);
    await until(() => taken.length === 1);
    turns[1]?.(false);
    const statuses = (await Promise.all(replies)).map(({ status, headers }) => [status, headers["retry-after"]]);
    expect(statuses.sort()).toEqual([
      [200, undefined],
      [429, "1"],
    ]);
    expect(taken).toHaveLength(1);
  });

  test("are forgotten when their sender goes away meanwhile", async () => {
    const { turns, taken, port, front: waiting } = await front();
    const gone = new AbortController();
    const asked = fetch(`http://127.0.0.1:${port}/v1/traces`, {
      ...{ method: "POST", headers: JSON_TYPE, body: "{}", signal: gone.signal },
    }).catch((error: Error) => error.name);
    await until(() => turns.length === 1);
    expect(waiting.active).toBe(1);
    gone.abort();
    expect(await asked).toBe("AbortError");
    // The server notices in its own time.
    await new Promise((resolve) => setTimeout(resolve, 50));
    turns[0]?.(true);
    await until(() => waiting.active === 0);
    expect(taken).toEqual([]);
  });

  test("whose turn comes when the service has ended are not taken", async () => {
    const { turns, taken, port, front: ending } = await front();
    const asked = ask(port, { headers: JSON_TYPE, body: "{}" });
    await until(() => turns.length === 1);
    await ending.drain(10);
    turns[0]?.(true);
    expect((await asked).status).toBe(503);
    expect(taken).toEqual([]);
  });
});

test("calls over gRPC are taken when their turn comes, told to wait when it does not, forgotten when they are given up", async () => {
  const { turns, taken, backend: parts } = backend();
  const front = new GrpcFront(grpc, parts, LIMITS, tokenCheck(undefined));
  const port = await front.listen(0, "127.0.0.1");
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  const path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
  const bytes = (message: Buffer): Buffer => message;
  const codes: number[] = [];
  const call = (body: string): { cancel(): void } =>
    client.makeUnaryRequest(path, bytes, bytes, Buffer.from(body), (error: grpc.ServiceError | null) => {
      codes.push(error?.code ?? 0);
    });
  try {
    call("a");
    await until(() => turns.length === 1);
    call("bb");
    await until(() => turns.length === 2);
    const third = call("ccc");
    await until(() => turns.length === 3);
    expect(taken).toEqual([]);
    turns[0]?.(true);
    await until(() => codes.length === 1);
    turns[1]?.(false);
    await until(() => codes.length === 2);
    third.cancel();
    await until(() => codes.length === 3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    turns[2]?.(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(codes).toEqual([0, 14, 1]);
    expect(taken).toEqual([1]);
  } finally {
    client.close();
    await front.drain(1_000);
  }
});

test("senders in a hurry leave most of a busy service to scoring", async () => {
  const TRACES = 200;
  const busy = defineScorer({
    ...{ name: "test.busy", version: "1.0.0", metric_name: "busy", units: ["trajectory"] },
    score: () => {
      for (const until = performance.now() + 6; performance.now() < until; );
      return { status: "scored", score: 1, label: "informational", metadata: {} };
    },
  });
  const service = await start({ engine: { scorers: [busy], idleMillis: 0, lateWindowMillis: 0 } });
  const own = { "aip.expected_steps": '["a"]' };
  try {
    const many = Array.from({ length: TRACES }, (_, index) => agentRun(`t${index}`, ["a"], own)).flat();
    expect((await post(service.port, request(many))).status).toBe(200);
    await until(() => service.rows().length >= TRACES / 4);
    let answered = 0;
    const from = service.rows().length;
    const send = async (): Promise<void> => {
      while (service.rows().length < TRACES && answered < 2 * TRACES) {
        const { status } = await post(service.port, request(agentRun(`m${answered}`, ["a"], own)));
        expect(status).toBe(200);
        answered += 1;
      }
    };
    await Promise.all([send(), send(), send(), send()]);
    // Each of their requests takes far less than scoring one trace; without turns there would be several for each.
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThan((service.rows().length - from) / 2);
  } finally {
    await service.stop();
  }
}, 30_000);
