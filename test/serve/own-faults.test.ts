import * as grpc from "@grpc/grpc-js";
import { expect, test } from "vitest";
import type { Answer } from "../../src/serve/answers.ts";
import { tokenCheck } from "../../src/serve/auth.ts";
import { GrpcFront } from "../../src/serve/grpc-front.ts";
import { HttpFront } from "../../src/serve/http-front.ts";
import { resolveServeLimits } from "../../src/serve/options.ts";
import { ask, JSON_TYPE, PROTOBUF_TYPE } from "./support.ts";

/** What stands behind the fronts, and is broken: what reads spans, and what writes answers in protobuf. */
function broken(turn: () => Promise<boolean> | undefined = () => undefined) {
  const problems: unknown[] = [];
  const no = (what: string) => (): never => {
    throw new Error(what);
  };
  const nothing = (): undefined => undefined;
  const intake = { turn, full: nothing, take: no("take") as () => Answer };
  const backend = {
    ...intake,
    intake,
    ...{ notReady: nothing, metrics: no("metrics"), answered: nothing, called: nothing, newWriter: no("writer") },
    problem: (error: unknown) => void problems.push(error),
  };
  return { backend, said: () => problems.map((error) => (error as Error).message) };
}
const LIMITS = resolveServeLimits({});

test("over HTTP: a fault of ours is a 500 and is told, and the next request is answered", async () => {
  const { backend, said } = broken();
  const front = new HttpFront(backend, LIMITS, tokenCheck("t"));
  const { port } = await front.listen(0, "127.0.0.1");
  const authorization = "Bearer t";
  try {
    expect((await ask(port, { headers: { ...JSON_TYPE, authorization }, body: "{}" })).status).toBe(500);
    // What turns a request away is broken too.
    expect((await ask(port, { headers: PROTOBUF_TYPE, body: "x" })).status).toBe(500);
    expect((await ask(port, { method: "GET", path: "/metrics", headers: { authorization } })).status).toBe(500);
    expect((await ask(port, { method: "GET", path: "/healthz" })).status).toBe(200);
    expect([said(), front.active]).toEqual([["take", "writer", "metrics"], 0]);
  } finally {
    await front.drain(0);
    front.close();
  }
});

test.each<readonly [what: string, turn: (() => Promise<boolean>) | undefined, said: string]>([
  ["read", undefined, "take"],
  // The answer that tells a sender to wait has details, which are written in protobuf.
  ["told to wait", async () => false, "writer"],
])("over gRPC: a fault while a call is %s is INTERNAL, and is told", async (_, turn, fault) => {
  const { backend, said } = broken(turn);
  const front = new GrpcFront(grpc, backend, LIMITS, tokenCheck(undefined));
  const client = new grpc.Client(`127.0.0.1:${await front.listen(0, "127.0.0.1")}`, grpc.credentials.createInsecure());
  const bytes = (message: Buffer): Buffer => message;
  const path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
  const call = (): Promise<number | undefined> =>
    new Promise((resolve) => {
      client.makeUnaryRequest(path, bytes, bytes, Buffer.from(""), (error) => resolve(error?.code));
    });
  try {
    expect([await call(), await call()]).toEqual([13, 13]);
    expect(said()).toEqual([fault, fault]);
  } finally {
    client.close();
    await front.drain(1_000);
  }
});
