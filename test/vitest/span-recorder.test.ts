import { SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { BasicTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { describe, expect, test, vi } from "vitest";
import { captureSpans, SpanRecorder, trajectoryMatchers } from "../../src/vitest/index.ts";

expect.extend(trajectoryMatchers);

const AGENT = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "assistant" };
const tool = (name: string) => ({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name });

/** An agent that calls two tools one after the other. */
async function agent(tracer: Tracer, names: readonly string[] = ["search", "answer"]): Promise<string> {
  const { context, trace } = await import("@opentelemetry/api");
  const root = tracer.startSpan("invoke_agent assistant", { attributes: AGENT });
  const inside = trace.setSpan(context.active(), root);
  for (const name of names) {
    const span = tracer.startSpan(`execute_tool ${name}`, { attributes: tool(name) }, inside);
    span.addEvent("called", { name });
    span.setStatus({ code: SpanStatusCode.ERROR });
    await Promise.resolve();
    span.end();
  }
  root.end();
  return "done";
}

const shared = () => {
  const recorder = new SpanRecorder();
  // By structure alone it is what the SDK calls a processor.
  const processor: SpanProcessor = recorder;
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  return { recorder, tracer: provider.getTracer("test", "1.2.3") };
};

describe("SpanRecorder", () => {
  test("captures the spans of one call, as they were", async () => {
    const { recorder, tracer } = shared();
    await agent(tracer);
    const run = await recorder.capture(() => agent(tracer, ["fetch"]));
    await agent(tracer);
    expect(run).toMatchObject({ value: "done", open: [] });
    expect(run.spans.map(({ name }) => name)).toEqual(["execute_tool fetch", "invoke_agent assistant"]);
    const [fetch, root] = run.spans;
    expect(fetch).toMatchObject({
      parent_span_id: root?.span_id,
      trace_id: root?.trace_id,
      kind: "INTERNAL",
      status: "ERROR",
      attributes: tool("fetch"),
      events: [{ name: "called", attributes: { name: "fetch" } }],
      scope: { name: "test", version: "1.2.3" },
    });
    expect((fetch?.end_ns ?? 0n) >= (fetch?.start_ns ?? 1n)).toBe(true);
    expect(run).toFollowTrajectory(["fetch"]);
    expect(run).toCallTools(["fetch"]);
  });

  test("waits for spans that end after the call has returned", async () => {
    const { recorder, tracer } = shared();
    const run = await recorder.capture(() => {
      const span = tracer.startSpan("execute_tool late", { attributes: tool("late") });
      setTimeout(() => span.end(), 5);
    });
    expect(run.spans.map(({ name }) => name)).toEqual(["execute_tool late"]);
    expect(run.open).toEqual([]);
  });

  test("does not wait for ever, and names what is open", async () => {
    const { recorder, tracer } = shared();
    const run = await recorder.capture(() => void tracer.startSpan("execute_tool stuck"), { settleMillis: 1 });
    expect(run).toMatchObject({ spans: [], open: ["execute_tool stuck"] });
  });

  test("works under a clock that a test has put in place", async () => {
    const { recorder, tracer } = shared();
    vi.useFakeTimers();
    try {
      const run = await recorder.capture(() => void tracer.startSpan("stuck"), { settleMillis: 1 });
      expect(run.open).toEqual(["stuck"]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("spans from before the call are no part of it", async () => {
    const { recorder, tracer } = shared();
    const before = tracer.startSpan("before");
    const run = await recorder.capture(() => before.end());
    expect(run.spans).toEqual([]);
  });

  test("what the call throws is thrown on, and the recorder is free again", async () => {
    const { recorder, tracer } = shared();
    await expect(recorder.capture(() => Promise.reject(new Error("boom")))).rejects.toThrow("boom");
    expect((await recorder.capture(() => agent(tracer))).spans).toHaveLength(3);
  });

  test("two captures at once are refused", async () => {
    const { recorder, tracer } = shared();
    const first = recorder.capture(() => agent(tracer));
    await expect(recorder.capture(() => agent(tracer))).rejects.toThrow("another capture of this recorder is going on");
    expect((await first).spans.length).toBeGreaterThanOrEqual(3);
  });
});

describe("captureSpans", () => {
  test("gives the call a provider, and shuts it down", async () => {
    let provider: BasicTracerProvider | undefined;
    const run = await captureSpans(
      (recorder) => {
        provider = new BasicTracerProvider({ spanProcessors: [recorder] });
        return provider;
      },
      (given) => {
        expect(given).toBe(provider);
        return agent(given.getTracer("test"));
      },
    );
    expect(run.value).toBe("done");
    expect(run).toFollowTrajectory(["search", "answer"]);
  });

  test("shuts it down after a failure too", async () => {
    const shutdown = vi.fn(async () => {});
    const failed = captureSpans(
      () => ({ shutdown }),
      () => {
        throw new Error("boom");
      },
    );
    await expect(failed).rejects.toThrow("boom");
    expect(shutdown).toHaveBeenCalledTimes(1);
  });
});
