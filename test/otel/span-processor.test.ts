import { context, diag, propagation, ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { SamplingDecision } from "@opentelemetry/sdk-trace-base";
import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  defineScorer,
  recordUnsampled,
  type Scorer,
  stepAccuracy,
  TrajectorySpanProcessor,
  toolSelectionAccuracy,
  trajectoryShape,
  withExpectation,
  withSession,
} from "../../src/index.ts";
import { agent, child, enableContext, run, Telemetry, tool, until } from "../support/telemetry.ts";

beforeAll(enableContext);

const RULES = [
  {
    id: "refund",
    status: "approved" as const,
    match: { agent: "support" },
    expected_steps: ["search", "open", "answer"],
    expected_tools: ["search", "answer"],
  },
];

function balanced(telemetry: Telemetry): void {
  const { spans } = telemetry.processor.stats();
  const dropped = Object.values(spans.dropped).reduce((sum, count) => sum + count, 0);
  expect(spans.released + spans.held + dropped).toBe(spans.seen);
}

describe("a finished trace", () => {
  test("gives one event per scorer, in the context of the entry agent's span", async () => {
    const telemetry = new Telemetry({ expectations: RULES });
    const server = child(telemetry.tracer, "POST /chat", {}, undefined);
    const root = agent(telemetry.tracer, "support", {}, server);
    for (const name of ["search", "wrong", "answer"]) tool(telemetry.tracer, name, root).end();
    root.end();
    server.end();
    await telemetry.processor.forceFlush();

    const [steps] = telemetry.eventsOf("step_accuracy");
    // [search, open, answer] against [search, wrong, answer]: one substitution of three.
    expect(steps?.["gen_ai.evaluation.score.value"]).toBeCloseTo(2 / 3, 9);
    expect(steps).toMatchObject({
      "gen_ai.evaluation.score.label": "informational",
      "trajectory.evaluation.status": "scored",
      "trajectory.evaluation.revision": 0,
      "trajectory.complete": true,
      "trajectory.unit": "trajectory",
      "trajectory.unit_id": `trajectory:${root.spanContext().traceId}`,
      "trajectory.scorer.name": "agent.step_accuracy",
      "trajectory.scorer.version": "2.0.0",
      "trajectory.expectation.id": "refund",
      "trajectory.expectation.status": "approved",
      "gen_ai.agent.name": "support",
    });
    expect(steps?.["trajectory.evaluation.id"]).toMatch(/^[0-9a-f]{32}$/);
    expect(steps?.["gen_ai.evaluation.explanation"]).toContain("open");
    const event = telemetry.events[0];
    expect(event?.eventName).toBe("gen_ai.evaluation.result");
    expect(event?.severityNumber).toBe(9);
    expect(event?.spanContext?.spanId).toBe(root.spanContext().spanId);
    expect(event?.instrumentationScope.name).toBe("otel-trajectory");
    // search and answer were both called.
    expect(telemetry.eventsOf("tool_selection_accuracy")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
    balanced(telemetry);
  });

  test("is scored without a flush, in a later turn", async () => {
    const telemetry = new Telemetry({ expectations: RULES });
    run(telemetry.tracer, ["search", "open", "answer"]);
    expect(telemetry.events).toHaveLength(0);
    await until(() => telemetry.events.length === 2);
    expect(telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
  });

  test("pass and fail need a threshold and an approved expectation", async () => {
    const telemetry = new Telemetry({ expectations: RULES, scorers: [stepAccuracy({ threshold: 0.9 })] });
    run(telemetry.tracer, ["search", "open", "answer"]);
    run(telemetry.tracer, ["search"]);
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("step_accuracy").map((each) => each["gen_ai.evaluation.score.label"])).toEqual([
      "pass",
      "fail",
    ]);
  });

  test("without an expectation it is counted and not emitted", async () => {
    const telemetry = new Telemetry();
    run(telemetry.tracer, ["search"]);
    await telemetry.processor.forceFlush();
    expect(telemetry.events).toEqual([]);
    expect(telemetry.processor.stats().evaluations.results).toEqual({ no_expectation: 2 });
    const results = await telemetry.points("trajectory.evaluation.results");
    expect(results.map(({ attributes, value }) => [attributes["trajectory.evaluation.reason"], value])).toEqual([
      ["no_expectation", 1],
      ["no_expectation", 1],
    ]);
  });

  test("a trace without agents, tools or models costs no event", async () => {
    const telemetry = new Telemetry({ expectations: [{ expected_steps: ["search"] }] });
    child(telemetry.tracer, "GET /").end();
    await telemetry.processor.forceFlush();
    expect(telemetry.events).toEqual([]);
    expect(telemetry.processor.stats().evaluations.results).toMatchObject({ kinds_missing: 1 });
  });
});

describe("where expectations come from", () => {
  test("context, before the span's attributes, before configured sources", async () => {
    const telemetry = new Telemetry({ expectations: RULES, scorers: [stepAccuracy()] });
    withExpectation({ id: "in-process", expected_steps: ["search"] }, () => {
      const root = telemetry.tracer.startSpan("invoke_agent support", {
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "support",
          "aip.expected_steps": '["other"]',
        },
      });
      tool(telemetry.tracer, "search", root).end();
      root.end();
    });
    run(telemetry.tracer, ["search"], { "aip.expected_steps": ["search", "open"], "aip.expectation.id": "on-span" });
    await telemetry.processor.forceFlush();
    expect(
      telemetry
        .eventsOf("step_accuracy")
        .map((each) => [each["trajectory.expectation.id"], each["gen_ai.evaluation.score.value"]]),
    ).toEqual([
      ["in-process", 1],
      ["on-span", 0.5],
    ]);
  });

  test("an asynchronous function, time-limited", async () => {
    const telemetry = new Telemetry({
      scorers: [stepAccuracy()],
      expectationTimeoutMillis: 20,
      expectations: async ({ agent: name }) => {
        if (name === "slow") await new Promise(() => undefined);
        return { id: `for-${name}`, expected_steps: ["search"] };
      },
    });
    run(telemetry.tracer, ["search"]);
    run(telemetry.tracer, ["search"], {}, "slow");
    await telemetry.processor.forceFlush();
    const events = telemetry.eventsOf("step_accuracy");
    expect(
      events.map((each) => each["trajectory.expectation.id"] ?? each["trajectory.evaluation.reason"]).sort(),
    ).toEqual(["expectation_timeout", "for-support"]);
  });

  test("annotations, and an ambiguous one says so", async () => {
    const telemetry = new Telemetry({ scorers: [stepAccuracy()] });
    const root = agent(telemetry.tracer, "support", { "aip.expected_steps": '["a"]' });
    tool(telemetry.tracer, "a", root, { "aip.expected_steps": '["b"]' }).end();
    root.end();
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("step_accuracy")[0]).toMatchObject({
      "trajectory.evaluation.status": "non_evaluable",
      "trajectory.evaluation.reason": "ambiguous_expectation",
    });
  });
});

describe("attach", () => {
  test("ending: the scores are attributes of the root as exported, also by a processor that stands before ours", async () => {
    const telemetry = new Telemetry({ expectations: RULES });
    run(telemetry.tracer, ["search", "open", "answer"]);
    expect(telemetry.span("invoke_agent support").attributes).toMatchObject({
      "trajectory.step_accuracy.score": 1,
      "trajectory.step_accuracy.label": "informational",
      "trajectory.step_accuracy.status": "scored",
      "trajectory.step_accuracy.revision": 0,
      "trajectory.step_accuracy.edit_distance": 0,
      "trajectory.step_accuracy.total_steps": 3,
      "trajectory.tool_selection_accuracy.score": 1,
    });
    expect(
      Object.keys(telemetry.span("execute_tool search").attributes).some((key) => key.startsWith("trajectory.")),
    ).toBe(false);
  });

  test("ending: not while another span of the trace is open", () => {
    const telemetry = new Telemetry({ expectations: RULES });
    const root = agent(telemetry.tracer, "support");
    tool(telemetry.tracer, "search", root);
    root.end();
    expect(telemetry.span("invoke_agent support").attributes["trajectory.step_accuracy.score"]).toBeUndefined();
  });

  test("ending: of several local roots the last to end carries the attributes", () => {
    const telemetry = new Telemetry({ expectations: [{ expected_steps: ["a"] }] });
    const remote = trace.setSpanContext(ROOT_CONTEXT, {
      traceId: "a".repeat(32),
      spanId: "b".repeat(16),
      traceFlags: 1,
      isRemote: true,
    });
    const first = telemetry.tracer.startSpan("first", {}, remote);
    const second = telemetry.tracer.startSpan("second", {}, remote);
    tool(telemetry.tracer, "a", first).end();
    first.end();
    second.end();
    expect(telemetry.span("first").attributes).toEqual({});
    expect(telemetry.span("second").attributes["trajectory.step_accuracy.score"]).toBe(1);
  });

  test("ending: longer trajectories than endingMaxSteps wait for their turn", async () => {
    const telemetry = new Telemetry({ expectations: [{ expected_steps: ["a"] }], endingMaxSteps: 1 });
    run(telemetry.tracer, ["a", "b"]);
    expect(telemetry.span("invoke_agent support").attributes["trajectory.step_accuracy.score"]).toBeUndefined();
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("step_accuracy")).toHaveLength(1);
  });

  test("ending: an asynchronous scorer leaves the others alone", async () => {
    const slow = defineScorer({
      name: "own.slow",
      version: "1.0.0",
      units: ["trajectory"],
      metric_name: "slow",
      score: async () => ({ status: "scored", score: 0.5, label: "informational", metadata: {} }),
    });
    const telemetry = new Telemetry({ expectations: RULES, scorers: [stepAccuracy(), slow] });
    run(telemetry.tracer, ["search", "open", "answer"]);
    const { attributes } = telemetry.span("invoke_agent support");
    expect(attributes["trajectory.step_accuracy.score"]).toBe(1);
    expect(attributes["trajectory.slow.score"]).toBeUndefined();
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("slow")[0]?.["gen_ai.evaluation.score.value"]).toBe(0.5);
  });

  test("ending: attributes that the SDK refuses are counted", () => {
    const telemetry = new Telemetry({ expectations: RULES, scorers: [toolSelectionAccuracy()] });
    const full = Object.fromEntries(Array.from({ length: 126 }, (_, index) => [`k${index}`, index]));
    run(telemetry.tracer, ["search", "answer"], full);
    const written = Object.keys(telemetry.span("invoke_agent support").attributes).filter((key) =>
      key.startsWith("trajectory."),
    );
    // status, revision, score, label, total_tools, correct_tools: six are offered, none fits beside 128 others.
    expect(written).toEqual([]);
    expect(telemetry.processor.stats().attributes_refused).toBe(6);
  });

  test("hold: roots leave decorated, everything else at once, nothing twice", async () => {
    const telemetry = new Telemetry({ expectations: RULES, attach: "hold" });
    run(telemetry.tracer, ["search", "open", "answer"]);
    expect(telemetry.spans.map((span) => span.name)).toEqual([
      "execute_tool search",
      "execute_tool open",
      "execute_tool answer",
    ]);
    await until(() => telemetry.spans.length === 4);
    const root = telemetry.span("invoke_agent support");
    expect(root.attributes["trajectory.step_accuracy.score"]).toBe(1);
    expect(root.spanContext().traceId).toBe(telemetry.spans[0]?.spanContext().traceId);
    expect(telemetry.processor.stats().roots_held).toBe(0);
  });

  test("hold: a trace that nobody expects anything of is not held longer than its turn", async () => {
    const telemetry = new Telemetry({ attach: "hold" });
    run(telemetry.tracer, ["search"]);
    await until(() => telemetry.spans.length === 2, 1_000);
    expect(telemetry.span("invoke_agent support").attributes["trajectory.step_accuracy.status"]).toBeUndefined();
  });

  test("hold: after holdMillis a root leaves as it is", async () => {
    const telemetry = new Telemetry({ expectations: RULES, attach: "hold", holdMillis: 10 });
    const root = agent(telemetry.tracer, "support");
    tool(telemetry.tracer, "search", root);
    root.end();
    await until(() => telemetry.spans.length === 1);
    expect(telemetry.spans[0]?.attributes["trajectory.step_accuracy.score"]).toBeUndefined();
  });

  test("hold: shutdown lets every root out before the next processor shuts down", async () => {
    const telemetry = new Telemetry({ expectations: RULES, attach: "hold" });
    const names: string[] = [];
    const next = {
      onStart: () => undefined,
      onEnd: (span: { readonly name: string }) => void names.push(span.name),
      forceFlush: async () => undefined,
      shutdown: async () => void names.push("shutdown"),
    };
    const processor = new TrajectorySpanProcessor({ attach: "hold", next, expectations: RULES });
    const holding = new Telemetry({}, { before: [processor] });
    for (let index = 0; index < 600; index += 1) run(holding.tracer, ["search"]);
    await processor.shutdown();
    expect(names.filter((name) => name === "invoke_agent support")).toHaveLength(600);
    expect(names.at(-1)).toBe("shutdown");
    await telemetry.processor.shutdown();
  });

  test("span: an evaluation span beneath the root, linked, and not scored itself", async () => {
    const telemetry = new Telemetry({ expectations: RULES, attach: "span" });
    const root = run(telemetry.tracer, ["search", "open", "answer"]);
    await telemetry.processor.forceFlush();
    const own = telemetry.span("evaluate trajectory");
    expect(own.parentSpanContext?.spanId).toBe(root.spanContext().spanId);
    expect(own.links.map((link) => link.context.spanId)).toEqual([root.spanContext().spanId]);
    expect(own.attributes["trajectory.step_accuracy.score"]).toBe(1);
    expect(telemetry.processor.stats().spans.seen).toBe(4);
    expect(telemetry.processor.stats().traces.revised).toBe(0);
  });

  test("none: events and metrics only", async () => {
    const telemetry = new Telemetry({ expectations: RULES, attach: "none" });
    run(telemetry.tracer, ["search", "open", "answer"]);
    await telemetry.processor.forceFlush();
    expect(
      Object.keys(telemetry.span("invoke_agent support").attributes).filter((key) => key.startsWith("trajectory.")),
    ).toEqual([]);
    expect(telemetry.events).toHaveLength(2);
  });
});

describe("late spans", () => {
  const host = () =>
    new Telemetry({ expectations: RULES, scorers: [stepAccuracy()], lateSpanMillis: 20, lateWindowMillis: 60 });

  test("they re-score the trace under the same evaluation id, and only a changed result is emitted", async () => {
    const telemetry = host();
    const root = agent(telemetry.tracer, "support");
    const slow = tool(telemetry.tracer, "search", root);
    root.end();
    await until(() => telemetry.events.length === 1);
    slow.end();
    await until(() => telemetry.events.length === 2);
    const [first, second] = telemetry.eventsOf("step_accuracy");
    expect(first).toMatchObject({ "trajectory.complete": false, "trajectory.incomplete_reasons": ["open_spans"] });
    expect(second).toMatchObject({ "trajectory.complete": true, "trajectory.evaluation.revision": 1 });
    expect(second?.["trajectory.evaluation.id"]).toBe(first?.["trajectory.evaluation.id"]);
    expect(telemetry.processor.stats().spans.late).toBe(1);
    await until(() => telemetry.processor.stats().traces.finished === 0);
    const scores = await telemetry.points("trajectory.evaluation.score");
    // Only the last revision is recorded: one of three steps was made.
    expect(scores.map(({ value }) => (value as { count: number }).count)).toEqual([1]);
    expect((scores[0]?.value as { sum: number } | undefined)?.sum).toBeCloseTo(1 / 3, 9);
    balanced(telemetry);
  });

  test("a score that a flush has recorded is corrected, and the histogram keeps the first value", async () => {
    const telemetry = host();
    const root = agent(telemetry.tracer, "support");
    const slow = tool(telemetry.tracer, "search", root);
    root.end();
    await telemetry.processor.forceFlush();
    slow.end();
    await until(() => telemetry.events.length === 2);
    const corrections = await telemetry.points("trajectory.evaluation.corrections");
    expect(corrections.map(({ value }) => value)).toEqual([1]);
    const scores = await telemetry.points("trajectory.evaluation.score");
    expect(scores.map(({ value }) => (value as { sum: number }).sum)).toEqual([0]);
  });

  test("children that the host ends by force after the root", async () => {
    // They run at the same time, so that their order is not the agent's doing: a group.
    const rules = [{ expected_steps: [["search", "open", "answer"]] }];
    const telemetry = new Telemetry({ expectations: rules, scorers: [stepAccuracy()] });
    const root = agent(telemetry.tracer, "support");
    const children = ["search", "open", "answer"].map((name) => tool(telemetry.tracer, name, root));
    root.end();
    for (const each of children) each.end();
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("step_accuracy").map((each) => each["gen_ai.evaluation.score.value"])).toEqual([1]);
  });
});

/** Traces that start within one millisecond have no order but that of their random ids. */
const nextMillisecond = async (): Promise<void> => {
  const before = Date.now();
  await until(() => Date.now() > before);
};

describe("sessions", () => {
  const scorers = (): Scorer[] => [stepAccuracy({ unit: "session" })];
  const rules = [{ unit: "session" as const, match: { session_id: "s-1" }, expected_steps: ["a", "b"] }];

  test("are scored after their idle time, in the context of their last trace", async () => {
    const telemetry = new Telemetry({ scorers: scorers(), expectations: rules, sessionIdleMillis: 30 });
    run(telemetry.tracer, ["a"], { "session.id": "s-1" });
    await nextMillisecond();
    const last = run(telemetry.tracer, ["b"], { "session.id": "s-1" });
    await until(() => telemetry.events.length === 1);
    expect(telemetry.eventsOf("step_accuracy", "session")[0]).toMatchObject({
      "gen_ai.evaluation.score.value": 1,
      "trajectory.unit_id": "session:s-1",
      "session.id": "s-1",
    });
    expect(telemetry.events[0]?.spanContext?.spanId).toBe(last.spanContext().spanId);
    balanced(telemetry);
  });

  test("endSession lets the traces that are open finish first", async () => {
    const telemetry = new Telemetry({ scorers: scorers(), expectations: rules });
    run(telemetry.tracer, ["a"], { "session.id": "s-1" });
    await nextMillisecond();
    const root = agent(telemetry.tracer, "support", { "session.id": "s-1" });
    const ended = telemetry.processor.endSession("s-1");
    tool(telemetry.tracer, "b", root).end();
    root.end();
    await ended;
    await until(() => telemetry.events.length === 1);
    expect(telemetry.events[0]?.attributes["gen_ai.evaluation.score.value"]).toBe(1);
  });

  test("endSession that is awaited within the trace that it waits for gives up waiting, not ending", async () => {
    const telemetry = new Telemetry({ scorers: scorers(), expectations: rules, flushTimeoutMillis: 50 });
    const root = agent(telemetry.tracer, "support", { "session.id": "s-1" });
    for (const name of ["a", "b"]) tool(telemetry.tracer, name, root).end();
    await telemetry.processor.endSession("s-1");
    expect(telemetry.processor.stats().traces).toMatchObject({ open: 1, scored: 0 });
    root.end();
    await until(() => telemetry.events.length === 1);
    expect(telemetry.events[0]?.attributes["gen_ai.evaluation.score.value"]).toBe(1);
  });

  test("aip.session.end ends it when its trace finishes; a later trace opens a new one with another id", async () => {
    const telemetry = new Telemetry({ scorers: scorers(), expectations: rules });
    run(telemetry.tracer, ["a", "b"], { "session.id": "s-1", "aip.session.end": true });
    await until(() => telemetry.events.length === 1);
    run(telemetry.tracer, ["a", "b"], { "session.id": "s-1", "aip.session.end": true });
    await until(() => telemetry.events.length === 2);
    const ids = telemetry.events.map((event) => event.attributes["trajectory.evaluation.id"]);
    expect(new Set(ids).size).toBe(2);
  });

  test("a flush leaves them alone; drain and shutdown finish them", async () => {
    const telemetry = new Telemetry({ scorers: scorers(), expectations: rules });
    run(telemetry.tracer, ["a"], { "session.id": "s-1" });
    await telemetry.processor.forceFlush();
    expect(telemetry.events).toHaveLength(0);
    expect(telemetry.processor.stats().spans.held).toBe(2);
    await telemetry.processor.drain();
    expect(telemetry.events[0]?.attributes["trajectory.complete"]).toBe(true);
    run(telemetry.tracer, ["a"], { "session.id": "s-1" });
    await telemetry.processor.shutdown();
    expect(telemetry.events[1]?.attributes["trajectory.incomplete_reasons"]).toEqual(["shutdown"]);
    balanced(telemetry);
  });

  test("the id may come from context or baggage, and is hashed where that is asked for", async () => {
    const telemetry = new Telemetry({
      scorers: scorers(),
      expectations: [{ unit: "session", expected_steps: ["a"] }],
      sessionId: "hash",
    });
    withSession("from-context", () => {
      const root = telemetry.tracer.startSpan("invoke_agent x", {
        attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "x" },
      });
      tool(telemetry.tracer, "a", root).end();
      root.end();
    });
    const baggage = propagation.createBaggage({ "session.id": { value: "from-baggage" } });
    context.with(propagation.setBaggage(ROOT_CONTEXT, baggage), () =>
      telemetry.tracer.startSpan("invoke_agent x", { attributes: { "gen_ai.operation.name": "invoke_agent" } }).end(),
    );
    expect(telemetry.processor.stats().traces.open).toBe(0);
    await telemetry.processor.drain();
    expect(telemetry.processor.stats().sessions.scored).toBe(2);
    for (const event of telemetry.events) {
      expect(event.attributes["session.id"]).toMatch(/^[0-9a-f]{32}$/);
      expect(JSON.stringify(event.attributes)).not.toContain("from-");
    }
  });
});

describe("metrics", () => {
  test("the last bucket is exactly the perfect runs", async () => {
    const telemetry = new Telemetry({ expectations: RULES, scorers: [stepAccuracy()] });
    run(telemetry.tracer, ["search", "open", "answer"]);
    run(telemetry.tracer, ["search", "open"]);
    await telemetry.processor.drain();
    const [point] = await telemetry.points("trajectory.evaluation.score");
    const { buckets } = (point?.value ?? {}) as { buckets: { boundaries: number[]; counts: number[] } };
    expect(buckets.boundaries).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999999]);
    expect(buckets.counts.at(-1)).toBe(1);
    expect(point?.attributes).toEqual({
      "gen_ai.evaluation.name": "step_accuracy",
      "trajectory.unit": "trajectory",
      "trajectory.complete": true,
      "gen_ai.agent.name": "support",
    });
  });

  test("agents beyond the first hundred share one name", async () => {
    const telemetry = new Telemetry({ expectations: [{ expected_steps: ["a"] }], scorers: [stepAccuracy()] });
    for (let index = 0; index < 105; index += 1) run(telemetry.tracer, ["a"], {}, `agent-${index}`);
    await telemetry.processor.drain();
    const points = await telemetry.points("trajectory.evaluation.score");
    expect(points).toHaveLength(101);
    const other = points.find(({ attributes }) => attributes["gen_ai.agent.name"] === "_other");
    expect(other?.value).toMatchObject({ count: 5 });
  });

  test("an agent name of a megabyte does not leave as such", async () => {
    const telemetry = new Telemetry({ scorers: [stepAccuracy({ expected_steps: ["a"] })] });
    run(telemetry.tracer, ["a"], {}, "x".repeat(1_000_000));
    await telemetry.processor.drain();
    expect(telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.agent.name"]).toHaveLength(1_024);
    const [point] = await telemetry.points("trajectory.evaluation.score");
    expect(point?.attributes["gen_ai.agent.name"]).toBe("_other");
  });

  test("health is observed from stats", async () => {
    const telemetry = new Telemetry({ expectations: RULES });
    run(telemetry.tracer, ["search"]);
    await telemetry.processor.forceFlush();
    agent(telemetry.tracer, "support");
    expect(await telemetry.points("trajectory.units.open")).toContainEqual(
      expect.objectContaining({ attributes: { "trajectory.unit": "trajectory" }, value: 1 }),
    );
    const processed = await telemetry.points("otel.sdk.processor.span.processed");
    expect(processed.map(({ value }) => value)).toEqual([2]);
    expect(processed[0]?.attributes["otel.component.name"]).toMatch(/^trajectory_span_processor\/\d+$/);
    const [buffered] = await telemetry.points("trajectory.bytes.buffered");
    expect(buffered?.value).toBe(telemetry.processor.stats().buffered_bytes);
    expect(buffered?.value).toBeGreaterThan(0);
  });
});

describe("sampling", () => {
  test("spans that are recorded but not sampled are scored", async () => {
    const none = { shouldSample: () => ({ decision: SamplingDecision.NOT_RECORD }), toString: () => "None" };
    const telemetry = new Telemetry(
      { expectations: RULES, scorers: [stepAccuracy()] },
      { sampler: recordUnsampled(none) },
    );
    run(telemetry.tracer, ["search", "open", "answer"]);
    await telemetry.processor.forceFlush();
    expect(telemetry.spans).toEqual([]);
    expect(telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
    expect(String(recordUnsampled(none))).toBe("RecordUnsampled{None}");
  });

  test("sampleRatio decides from the trace id, holds nothing of the others, and counts them", async () => {
    const telemetry = new Telemetry({ expectations: RULES, scorers: [stepAccuracy()], sampleRatio: 0.25 });
    for (let index = 0; index < 400; index += 1) run(telemetry.tracer, ["search"]);
    await telemetry.processor.forceFlush();
    const stats = telemetry.processor.stats();
    // 400 draws at one in four: 100 on average, standard deviation 8.7.
    expect(stats.traces.scored).toBeGreaterThan(50);
    expect(stats.traces.scored).toBeLessThan(150);
    expect(stats.spans.dropped.not_sampled).toBe(2 * (400 - stats.traces.scored));
    expect(stats.evaluations.results).toEqual({ scored: stats.traces.scored, not_sampled: 400 - stats.traces.scored });
    balanced(telemetry);
  });
});

describe("nothing we do harms the host", () => {
  const broken = (): never => {
    throw new Error("broken");
  };

  test("throwing scorer, source, logger and meter: the others go on, each is counted and said once", async () => {
    const said: string[] = [];
    const logger = {
      error: (message: string) => void said.push(message),
      warn: () => undefined,
      info: () => undefined,
      debug: () => undefined,
      verbose: () => undefined,
    };
    diag.setLogger(logger);
    const bad = defineScorer({
      name: "own.bad",
      version: "1.0.0",
      units: ["trajectory"],
      metric_name: "bad",
      score: broken,
    });
    const telemetry = new Telemetry({
      scorers: [bad, stepAccuracy(), toolSelectionAccuracy()],
      expectations: [RULES, broken as () => undefined],
      meterProvider: { getMeter: broken },
    });
    for (let index = 0; index < 3; index += 1) run(telemetry.tracer, ["search", "open", "answer"]);
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("step_accuracy")).toHaveLength(3);
    expect(telemetry.eventsOf("bad")[0]).toMatchObject({
      "trajectory.evaluation.status": "error",
      "error.type": "Error",
    });
    expect(telemetry.processor.stats().problems["scorer"]).toBe(3);
    expect(said.filter((message) => message.includes("scorer: bad: Error"))).toHaveLength(1);
    diag.disable();

    const silent = new Telemetry({ expectations: RULES, loggerProvider: { getLogger: broken } });
    run(silent.tracer, ["search"]);
    await silent.processor.forceFlush();
    expect(silent.processor.stats().problems["sink"]).toBe(2);
    expect((await silent.points("trajectory.evaluation.score")).length).toBe(2);
  });

  test("a scorer that hangs is timed out, one that returns nonsense is an error", async () => {
    const hang = defineScorer({
      name: "own.hang",
      version: "1.0.0",
      units: ["trajectory"],
      metric_name: "hang",
      score: () => new Promise(() => undefined),
    });
    const nonsense = defineScorer({
      name: "own.nonsense",
      version: "1.0.0",
      units: ["trajectory"],
      metric_name: "nonsense",
      score: () => ({ status: "scored", score: Number.NaN, label: "pass", metadata: {} }),
    });
    const telemetry = new Telemetry({ scorers: [hang, nonsense], scorerTimeoutMillis: 20 });
    run(telemetry.tracer, ["search"]);
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("hang")[0]?.["trajectory.evaluation.reason"]).toBe("scorer_timeout");
    expect(telemetry.eventsOf("nonsense")[0]?.["error.type"]).toBe("invalid_result");
  });

  test("spans of every odd shape: no hook throws, every span is counted", async () => {
    const telemetry = new Telemetry({ expectations: RULES });
    const { processor } = telemetry;
    const odd: unknown[] = [
      undefined,
      null,
      {},
      { spanContext: broken },
      { spanContext: () => ({ traceId: "t", spanId: "s" }), attributes: null },
      {
        spanContext: () => ({ traceId: "t", spanId: "s" }),
        get attributes(): never {
          return broken();
        },
      },
    ];
    for (const span of odd) {
      expect(() => processor.onStart(span as never, ROOT_CONTEXT)).not.toThrow();
      expect(() => processor.onEnding(span as never)).not.toThrow();
      expect(() => processor.onEnd(span as never)).not.toThrow();
    }
    await processor.shutdown();
    balanced(telemetry);
  });

  test("cyclic parents, duplicate ids, a ten megabyte attribute, prototype-polluting keys", async () => {
    const telemetry = new Telemetry({ expectations: [{ expected_steps: ["search"] }] });
    const ring = ["1", "2", "3"].map((digit) => digit.repeat(16));
    const fake = (id: string, parent: string | undefined, attributes: object) => ({
      name: "execute_tool search",
      kind: SpanKind.INTERNAL,
      spanContext: () => ({ traceId: "c".repeat(32), spanId: id, traceFlags: 1 }),
      ...(parent === undefined
        ? {}
        : { parentSpanContext: { traceId: "c".repeat(32), spanId: parent, traceFlags: 1 } }),
      startTime: [1, 0],
      endTime: [2, 0],
      duration: [1, 0],
      status: { code: 0 },
      events: [],
      links: [],
      ended: true,
      resource: { attributes: {} },
      instrumentationScope: { name: "test" },
      attributes,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    });
    const polluting = JSON.parse(
      '{"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"search","__proto__":{"polluted":true},"gen_ai.tool.call.arguments":"{\\"__proto__\\":{\\"polluted\\":true}}"}',
    ) as object;
    const spans = [
      ...ring.map((id, index) => fake(id, ring[(index + 1) % 3], polluting)),
      fake(ring[0] as string, ring[1], polluting),
      fake("4".repeat(16), undefined, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "big",
        "gen_ai.tool.call.arguments": "x".repeat(10 * 1024 * 1024),
      }),
    ];
    for (const span of spans) telemetry.processor.onEnd(span as never);
    const stats = telemetry.processor.stats();
    expect(stats.spans.dropped.duplicate).toBe(1);
    expect(stats.buffered_bytes).toBeLessThan(300_000);
    await telemetry.processor.drain();
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(telemetry.eventsOf("step_accuracy")).toHaveLength(1);
    balanced(telemetry);
  });

  test("a thousand local roots in one trace are one unit", async () => {
    const telemetry = new Telemetry({ expectations: [{ expected_steps: ["search"] }], scorers: [stepAccuracy()] });
    const remote = trace.setSpanContext(ROOT_CONTEXT, {
      traceId: "d".repeat(32),
      spanId: "e".repeat(16),
      traceFlags: 1,
      isRemote: true,
    });
    const roots = Array.from({ length: 1_000 }, (_, index) => telemetry.tracer.startSpan(`root ${index}`, {}, remote));
    tool(telemetry.tracer, "search", roots[0]).end();
    for (const each of roots) each.end();
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("step_accuracy")).toHaveLength(1);
    expect(telemetry.eventsOf("step_accuracy")[0]).toMatchObject({
      "trajectory.complete": true,
      "trajectory.incomplete_reasons": ["remote_parent"],
    });
  });

  test("after shutdown: idempotent, hooks do nothing, later spans are counted", async () => {
    const telemetry = new Telemetry({ expectations: [{ expected_steps: ["search"] }] });
    const root = agent(telemetry.tracer, "support");
    tool(telemetry.tracer, "search", root).end();
    const first = telemetry.processor.shutdown();
    expect(telemetry.processor.shutdown()).toBe(first);
    await first;
    root.end();
    await telemetry.processor.forceFlush();
    expect(telemetry.processor.stats().spans.dropped.after_shutdown).toBe(1);
    const [event] = telemetry.eventsOf("step_accuracy");
    expect(event?.["trajectory.incomplete_reasons"]).toEqual(["no_root", "open_spans", "shutdown"]);
    balanced(telemetry);
  });

  test("our timers and scorers run outside the host's context and untraced", async () => {
    let seen: unknown = "never";
    const curious = defineScorer({
      name: "own.curious",
      version: "1.0.0",
      units: ["trajectory"],
      metric_name: "curious",
      score: () => {
        seen = trace.getActiveSpan();
        telemetry.tracer.startSpan("inside a scorer").end();
        return { status: "scored", score: 1, label: "informational", metadata: {} };
      },
    });
    const telemetry: Telemetry = new Telemetry({ scorers: [curious] });
    telemetry.tracer.startActiveSpan("outer", (outer) => {
      run(telemetry.tracer, ["search"]);
      outer.end();
    });
    await until(() => telemetry.events.length > 0);
    expect(seen).toBeUndefined();
    expect(telemetry.spans.map((span) => span.name)).not.toContain("inside a scorer");
  });

  test("a host that never calls onEnding gets everything but the attributes", async () => {
    const telemetry = new Telemetry({ expectations: RULES });
    vi.spyOn(telemetry.processor, "onEnding").mockImplementation(() => undefined);
    run(telemetry.tracer, ["search", "open", "answer"]);
    await telemetry.processor.forceFlush();
    expect(telemetry.events).toHaveLength(2);
    expect(telemetry.span("invoke_agent support").attributes["trajectory.step_accuracy.score"]).toBeUndefined();
  });
});

describe("options", () => {
  test.each([
    [{ sampleRatio: 2 }, /sampleRatio: expected a number from 0 to 1, got 2/],
    [{ maxTraces: 0 }, /maxTraces: expected a whole number of at least 1, got 0/],
    [{ attach: "sideways" }, /attach: expected "ending", "hold", "span", "none", got "sideways"/],
    [{ attach: "hold" }, /next: expected a span processor/],
    [{ maxTrace: 5 }, /maxTrace: no such option/],
    [{ trajectory: { root: "x" } }, /trajectory.root: expected/],
    [{ scorers: [stepAccuracy(), stepAccuracy()] }, /scorers\[1\].metric_name/],
    [{ expectations: [{ expected_stepz: ["a"] }] }, /expectations\[0\]/],
    [{ expectations: 5 }, /expectations: expected/],
    [null, /options: expected an object, got null/],
    [5, /options: expected an object, got 5/],
  ])("%j is refused", (options, message) => {
    expect(() => new TrajectorySpanProcessor(options as never)).toThrow(message);
  });

  test("environment: options in code win, bad values are ignored, disabled does nothing", async () => {
    vi.stubEnv("TRAJECTORY_DISABLED", "TRUE");
    vi.stubEnv("TRAJECTORY_SAMPLE_RATIO", "lots");
    const disabled = new Telemetry({ expectations: RULES });
    run(disabled.tracer, ["search"]);
    expect(disabled.processor.stats().spans.seen).toBe(0);
    const enabled = new Telemetry({ expectations: RULES, disabled: false });
    run(enabled.tracer, ["search"]);
    expect(enabled.processor.stats().spans.seen).toBe(2);
    vi.unstubAllEnvs();
  });
});

describe("explain and mapSpan", () => {
  test("a held trace says of every span why it is a step, or none, and how many were let go", async () => {
    const telemetry = new Telemetry({ expectations: RULES });
    const root = agent(telemetry.tracer, "support");
    child(telemetry.tracer, "GET", {}, root).end();
    tool(telemetry.tracer, "search", root).end();
    const { traceId } = root.spanContext();
    expect(telemetry.processor.explain(traceId)?.let_go).toBe(1);
    root.end();
    const explained = telemetry.processor.explain(traceId);
    expect(explained?.entry_agent).toBe("support");
    expect(explained?.steps.map((step) => step.name)).toEqual(["search"]);
    await telemetry.processor.drain();
    expect(telemetry.processor.explain(traceId)).toBeUndefined();
    expect(telemetry.processor.explain("unknown")).toBeUndefined();
  });

  test("mapSpan decides before any convention; what it throws is counted and harms nothing", async () => {
    const telemetry = new Telemetry({
      expectations: [{ expected_steps: ["lookup"] }],
      scorers: [stepAccuracy()],
      mapSpan: (span) => {
        if (span.name === "boom") throw new Error("broken");
        return span.name === "my lookup" ? { kind: "TOOL", name: "lookup" } : undefined;
      },
    });
    const root = agent(telemetry.tracer, "support");
    child(telemetry.tracer, "my lookup", {}, root).end();
    child(telemetry.tracer, "boom", {}, root).end();
    root.end();
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
    expect(telemetry.processor.stats().problems["map_span"]).toBe(1);
  });
});

describe("the unit ladder, live", () => {
  const output = (text: string | undefined): Record<string, string> => ({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    ...(text === undefined ? {} : { "gen_ai.output.messages": text }),
  });
  const said = (text: string): string =>
    JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: text }] }]);

  test("trajectory_shape over the LLM calls of each unit; an empty text is an output, nothing recorded is none", async () => {
    const telemetry = new Telemetry({
      scorers: (["call", "step", "trajectory", "session"] as const).map((unit) =>
        trajectoryShape({ unit, metric_name: `shape_${unit}` }),
      ),
    });
    const root = agent(telemetry.tracer, "support", { "session.id": "s-1" });
    for (const text of [said("hello"), said(""), undefined])
      child(telemetry.tracer, "chat m", output(text), root).end();
    root.end();
    await telemetry.processor.drain();
    const { traceId } = root.spanContext();
    // Two of three calls recorded an output.
    for (const unit of ["step", "trajectory", "session"]) {
      const [event] = telemetry.eventsOf(`shape_${unit}`, unit);
      expect(event?.["gen_ai.evaluation.score.value"], unit).toBeCloseTo(2 / 3, 9);
      expect(event?.["gen_ai.evaluation.score.label"], unit).toBe("informational");
    }
    expect(telemetry.eventsOf("shape_step", "step")[0]?.["trajectory.unit_id"]).toBe(`step:${traceId}`);
    const calls = telemetry.eventsOf("shape_call", "call");
    expect(calls.map((each) => each["trajectory.evaluation.reason"])).toEqual(Array(3).fill("not_aggregate"));
    expect(calls[0]?.["trajectory.unit_id"]).toMatch(new RegExp(`^call:${traceId}/[0-9a-f]{16}$`));
    expect(new Set(calls.map((each) => each["trajectory.evaluation.id"])).size).toBe(3);
    balanced(telemetry);
  });
});
