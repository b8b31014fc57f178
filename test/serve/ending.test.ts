import { readFileSync } from "node:fs";
import { request as askTls } from "node:https";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { agentRun, request } from "../cli/otlp.ts";
import { until } from "../support/telemetry.ts";
import { ask, JSON_TYPE, post, start } from "./support.ts";

const run = (trace: string): object => request(agentRun(trace, ["a"], { "aip.expected_steps": '["a"]' }));

describe("ending", () => {
  test("in the middle of load: every trace that was taken is scored, and later ones are refused", async () => {
    const service = await start();
    const statuses: number[] = [];
    let next = 0;
    let ended = false;
    async function sender(): Promise<void> {
      while (!ended) {
        const trace = `e${next}`;
        next += 1;
        // A connection that is refused, or closed while we write, is the plainest no.
        const status = await post(service.port, run(trace)).then(
          (reply) => reply.status,
          () => 0,
        );
        statuses.push(status);
        if (status === 0) return;
      }
    }
    const senders = Promise.all(Array.from({ length: 8 }, sender));
    await until(() => statuses.length > 50);
    expect(await service.stop()).toBe(true);
    ended = true;
    await senders;
    expect(new Set(statuses.filter((status) => ![200, 503, 0].includes(status)))).toEqual(new Set());
    const scored = service.rows().filter((row) => row.metric === "step_accuracy");
    expect(scored.length).toBe(statuses.filter((status) => status === 200).length);
    expect(scored.every((row) => row.incomplete_reasons.includes("shutdown"))).toBe(true);
  });

  test("a request that is under way is answered, one that comes then is told to go elsewhere", async () => {
    const service = await start();
    const { Agent, request: open } = await import("node:http");
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    const headers = { ...JSON_TYPE, "content-length": 2 };
    const under = open({ port: service.port, host: "127.0.0.1", path: "/v1/traces", method: "POST", headers });
    const answer = new Promise<number>((resolve, reject) => {
      under.on("response", (response) => resolve(response.resume().statusCode ?? 0)).on("error", reject);
    });
    under.write("{");
    // A connection whose request has begun when the service ends, so that it is not idle.
    const late = open({ port: service.port, host: "127.0.0.1", path: "/v1/traces", method: "POST", headers });
    const refused = new Promise<unknown>((resolve) => {
      late.on("response", (response) => resolve(response.resume().statusCode)).on("error", resolve);
    });
    late.write("{");
    let ready = 200;
    while (ready === 200) {
      const ending = await ask(service.port, { method: "GET", path: "/readyz", agent }).catch(() => undefined);
      ready = ending?.status ?? 0;
      if (ready === 200) void service.stop();
    }
    under.end("}");
    late.end("}");
    expect(await answer).toBe(200);
    expect(await refused).toBe(200);
    expect(await service.stop()).toBe(true);
    agent.destroy();
  });

  test("a request that never ends does not keep the service", async () => {
    const service = await start({ limits: { drainTimeoutMillis: 400 } });
    const { request: open } = await import("node:http");
    const headers = { ...JSON_TYPE, "content-length": 2 };
    const hanging = open({ port: service.port, host: "127.0.0.1", path: "/v1/traces", method: "POST", headers });
    const broken = new Promise((resolve) => hanging.on("error", resolve));
    hanging.write("{");
    await new Promise((resolve) => setTimeout(resolve, 50));
    await service.stop();
    expect(await broken).toBeInstanceOf(Error);
  });

  test("twice is once", async () => {
    const service = await start();
    expect(service.stop()).toBe(service.stop());
    await service.stop();
    expect(service.log().filter((line) => line["message"] === "ended")).toHaveLength(1);
  });
});

describe("where it listens", () => {
  test("an address that is taken is an error at once", async () => {
    const service = await start();
    await expect(start({ port: service.port })).rejects.toThrow("EADDRINUSE");
    await service.stop();
  });

  test("that nothing is expected of any trace is said", async () => {
    const service = await start();
    expect(service.log()).toMatchObject([{}, { level: "warn", message: expect.stringContaining("no expectations") }]);
    await service.stop();
  });

  test("to everybody, without a token: said", async () => {
    const warnings = ({ log }: { log: () => readonly { readonly level?: unknown }[] }) =>
      log().filter(({ level }) => level === "warn");
    const expected_steps = ["a"];
    const scorers = [stepAccuracy({ expected_steps })];
    const service = await start({ host: "0.0.0.0", engine: { scorers } });
    expect(warnings(service)).toMatchObject([{ message: expect.stringContaining("no token is set") }]);
    await service.stop();
    const guarded = await start({ host: "0.0.0.0", token: "t", engine: { scorers } });
    expect(warnings(guarded)).toEqual([]);
    await guarded.stop();
  });

  test("with a certificate: HTTPS, and nothing else", async () => {
    const pem = (name: string): Buffer =>
      readFileSync(fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url)));
    const service = await start({ tls: { cert: pem("cert"), key: pem("key") } });
    expect(service.url).toMatch(/^https:/);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const options = { host: "127.0.0.1", port: service.port, path: "/v1/traces", method: "POST", ca: pem("cert") };
      const asking = askTls({ ...options, headers: JSON_TYPE }, (response) => resolve(response.resume().statusCode));
      asking.on("error", reject);
      asking.end(JSON.stringify(run("tls")));
    });
    expect(status).toBe(200);
    await expect(post(service.port, run("plain"))).rejects.toThrow();
    await service.stop();
    expect(service.rows()).toHaveLength(1);
  });
});
