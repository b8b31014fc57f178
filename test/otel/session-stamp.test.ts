import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, trace } from "@opentelemetry/api";
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { core } from "@opentelemetry/sdk-node";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { beforeAll, describe, expect, test } from "vitest";
import {
  stepAccuracy,
  TrajectoryError,
  TrajectorySpanProcessor,
  type TrajectorySpanProcessorOptions,
  withSession,
} from "../../src/index.ts";
import { agent, child, enableContext, run, Telemetry, tool, until } from "../support/telemetry.ts";

beforeAll(enableContext);

const inBaggage = (id: string) =>
  propagation.setBaggage(ROOT_CONTEXT, propagation.createBaggage({ "session.id": { value: id } }));

const sessionsOf = (telemetry: Telemetry, key = "session.id") =>
  Object.fromEntries(telemetry.spans.map((span) => [span.name, span.attributes[key]]));

/** A run whose spans start in the active context, as those of instrumentations do. */
function within(telemetry: Telemetry, attributes = {}): void {
  const { tracer } = telemetry;
  tracer.startActiveSpan("invoke_agent support", { attributes: { ...AGENT, ...attributes } }, (root) => {
    tracer.startActiveSpan("execute_tool search", { attributes: TOOL }, (each) => {
      tracer.startSpan("GET").end();
      each.end();
    });
    root.end();
  });
}
const AGENT = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support" };
const TOOL = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" };

describe("stampSession", () => {
  test("puts the session of withSession on every span of the trace, and of none outside", async () => {
    const telemetry = new Telemetry({ stampSession: true });
    withSession("s-1", () => within(telemetry));
    telemetry.tracer.startSpan("outside").end();
    await telemetry.processor.drain();
    expect(sessionsOf(telemetry)).toEqual({
      "invoke_agent support": "s-1",
      "execute_tool search": "s-1",
      GET: "s-1",
      outside: undefined,
    });
    expect(telemetry.processor.stats().attributes_refused).toBe(0);
  });

  test("takes the session of baggage, and that of withSession before it", async () => {
    const telemetry = new Telemetry({ stampSession: true });
    context.with(inBaggage("b-1"), () => {
      telemetry.tracer.startSpan("by baggage").end();
      withSession("s-1", () => telemetry.tracer.startSpan("by both").end());
    });
    expect(sessionsOf(telemetry)).toEqual({ "by baggage": "b-1", "by both": "s-1" });
  });

  test("leaves what is there, writes under another key, and writes nothing when it is off", () => {
    const on = new Telemetry({ stampSession: true });
    withSession("s-1", () => on.tracer.startSpan("own", { attributes: { "session.id": "mine" } }).end());
    expect(sessionsOf(on)).toEqual({ own: "mine" });
    const other = new Telemetry({ stampSession: "app.session" });
    withSession("s-1", () => other.tracer.startSpan("x").end());
    expect(sessionsOf(other, "app.session")).toEqual({ x: "s-1" });
    for (const options of [{}, { stampSession: false }, { stampSession: true, disabled: true }]) {
      const off = new Telemetry(options);
      withSession("s-1", () => off.tracer.startSpan("x").end());
      expect(sessionsOf(off)).toEqual({ x: undefined });
    }
  });

  test('writes the hash of the events where sessionId is "hash"', async () => {
    const telemetry = new Telemetry({
      stampSession: true,
      sessionId: "hash",
      scorers: [stepAccuracy({ unit: "session" })],
      expectations: [{ unit: "session", expected_steps: ["search"] }],
    });
    withSession("s-1", () => within(telemetry));
    await telemetry.processor.drain();
    const [event] = telemetry.eventsOf("step_accuracy", "session");
    expect(event?.["session.id"]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(Object.values(sessionsOf(telemetry)))).toEqual(new Set([event?.["session.id"]]));
  });

  test("counts what the SDK does not take, and what throws, and the scores come all the same", async () => {
    const telemetry = new Telemetry({ stampSession: true, expectations: [{ expected_steps: ["search"] }] });
    const full = Object.fromEntries(Array.from({ length: 128 }, (_, index) => [`k${index}`, index]));
    withSession("s-1", () => within(telemetry, full));
    // The root has no room; nor has it for its scores, which are counted beside it.
    expect(sessionsOf(telemetry)).toMatchObject({ "invoke_agent support": undefined, "execute_tool search": "s-1" });
    const broken = { ...(telemetry.tracer.startSpan("x") as Span & ReadableSpan), spanContext: () => CONTEXT };
    const refused = telemetry.processor.stats().attributes_refused;
    const throwing = {
      ...broken,
      setAttribute: () => {
        throw new Error("no");
      },
    };
    expect(() => telemetry.processor.onStart(throwing as never, inBaggage("b-1"))).not.toThrow();
    expect(telemetry.processor.stats().attributes_refused).toBe(refused + 1);
    await telemetry.processor.drain();
    expect(telemetry.eventsOf("step_accuracy")[0]).toMatchObject({ "gen_ai.evaluation.score.value": 1 });
  });

  test("is refused at once where it is neither a flag nor a key", () => {
    for (const stampSession of ["", 1, {}] as never[]) {
      expect(() => new TrajectorySpanProcessor({ stampSession })).toThrow(TrajectoryError);
    }
  });

  test("reaches the spans of HTTP calls on both sides", async () => {
    const telemetry = new Telemetry({ stampSession: true });
    propagation.setGlobalPropagator(new core.W3CBaggagePropagator());
    const instrumentation = new HttpInstrumentation();
    instrumentation.setTracerProvider(telemetry.provider);
    const http = createRequire(import.meta.url)("node:http") as typeof import("node:http");
    const server = http.createServer((_, response) => response.end("ok"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await context.with(inBaggage("b-1"), () =>
        telemetry.tracer.startActiveSpan("invoke_agent support", { attributes: AGENT }, async (root) => {
          await new Promise((resolve) => {
            http.get({ port, host: "127.0.0.1" }, (response) => response.resume().on("end", resolve));
          });
          root.end();
        }),
      );
    } finally {
      await new Promise((resolve) => server.close(resolve));
      instrumentation.disable();
      propagation.disable();
    }
    await until(() => telemetry.spans.length === 3);
    const kinds = telemetry.spans.map((span) => [SpanKind[span.kind], span.attributes["session.id"]]);
    expect(kinds.sort()).toEqual([
      ["CLIENT", "b-1"],
      ["INTERNAL", "b-1"],
      ["SERVER", "b-1"],
    ]);
  });
});

describe("scores of sessions are those without the stamp", () => {
  const expectations = [{ unit: "session" as const, expected_steps: ["search"] }];
  const scorers = () => [stepAccuracy({ unit: "session" })];

  /** What came out of the same runs, and how many of their spans were held for it. */
  async function outcome(options: TrajectorySpanProcessorOptions, host: { before?: SpanProcessor[] } = {}) {
    const telemetry = new Telemetry({ scorers: scorers(), expectations, ...options }, host);
    const { tracer } = telemetry;
    withSession("s-1", () => {
      within(telemetry);
      // Another key speaks, which context must not outdo.
      within(telemetry, { "gen_ai.conversation.id": "c-1" });
      within(telemetry, { "session.id": "s-2" });
      tracer.startActiveSpan("invoke_agent support", { attributes: AGENT }, (root) => {
        tracer.startSpan("execute_tool search", { attributes: TOOL }).end();
        // The host says so after the start.
        root.setAttribute("session.id", "s-3");
        root.end();
      });
    });
    run(tracer, ["search"]);
    context.with(inBaggage("b-1"), () => {
      const root = agent(tracer, "support", { "gen_ai.conversation.id": "c-2" });
      tool(tracer, "search", root).end();
      // A leaf that becomes a parent after all.
      const leaf = child(tracer, "GET", {}, root);
      leaf.end();
      tracer.startSpan("late", {}, trace.setSpan(inBaggage("b-1"), leaf)).end();
      root.end();
    });
    await telemetry.processor.drain();
    const sessions = telemetry
      .eventsOf("step_accuracy", "session")
      .map((event) => [event["session.id"], event["gen_ai.evaluation.score.value"], event["trajectory.complete"]]);
    return { sessions: sessions.sort(), spans: telemetry.processor.stats().spans };
  }

  test.each<[string, TrajectorySpanProcessorOptions]>([
    ["plain", {}],
    ["held", { attach: "hold" }],
    ["hashed", { sessionId: "hash" }],
    ["with a hook", { mapSpan: () => undefined }],
  ])("%s", async (_, options) => {
    const without = await outcome(options);
    expect(without.sessions).toHaveLength(5);
    expect(await outcome({ ...options, stampSession: true })).toEqual(without);
    expect(await outcome({ ...options, stampSession: "gen_ai.conversation.id" })).toEqual(without);
  });

  test("with another processor of ours that stamped first", async () => {
    const first = new TrajectorySpanProcessor({ stampSession: true });
    expect(await outcome({ stampSession: true }, { before: [first] })).toEqual(await outcome({}));
    await first.shutdown();
  });
});

const CONTEXT = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 };
