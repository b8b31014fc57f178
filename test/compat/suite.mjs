// The tests that both SDK lines run, against the packed package. `line` says how a line builds its providers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { context, metrics, trace } from "@opentelemetry/api";
import { recordUnsampled, stepAccuracy, TrajectorySpanProcessor } from "otel-trajectory";
import { GOOD_PATH, LUCKY_PATH } from "./agent.mjs";
import { faultTests } from "./faults.mjs";
import { startReceiver } from "./receiver.mjs";
import {
  agentAttributes,
  endingChildrenByForce,
  evaluations,
  eventually,
  toolAttributes,
  withoutOnEnding,
} from "./support.mjs";
import { vectorTests } from "./vectors.mjs";

const EXPECTED = ["authenticate", ["fetch_order", "fetch_policy"], "issue_refund"];
const EXPECTATION = {
  id: "refund",
  match: { agent: "support_agent" },
  status: "approved",
  expected_steps: EXPECTED,
  expected_tools: ["authenticate", "issue_refund"],
};
const BOUNDS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999999];

/** A processor and a tracer provider around it, with log records in memory. */
function setUp(line, { options = {}, host = (processor) => [processor], sampler, exporter, scorers } = {}) {
  const logExporter = new line.InMemoryLogRecordExporter();
  const loggerProvider = line.loggerProvider(line.logProcessor(logExporter));
  const trajectory = new TrajectorySpanProcessor({
    scorers: scorers ?? [stepAccuracy({ threshold: 0.9 })],
    expectations: [EXPECTATION],
    loggerProvider,
    ...options,
  });
  const spanExporter = exporter ?? new line.InMemorySpanExporter();
  const provider = line.tracerProvider({
    spanProcessors: [...host(trajectory), line.batch(spanExporter)],
    ...(sampler === undefined ? {} : { sampler }),
  });
  return { trajectory, provider, tracer: provider.getTracer("app"), logExporter, spanExporter };
}

/** Runs `body` in a new span; the span is ended afterwards. */
async function inSpan(tracer, name, attributes, body) {
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await body(span);
    } finally {
      span.end();
    }
  });
}

const refund = (tracer) =>
  inSpan(tracer, "invoke_agent support_agent", agentAttributes("support_agent"), async () => {
    for (const name of ["authenticate", "fetch_policy", "fetch_order", "issue_refund"]) {
      await inSpan(tracer, `execute_tool ${name}`, toolAttributes(name), async () => undefined);
    }
  });

export function defineSuite(line) {
  describe(line.name, () => {
    for (const [format, Exporter, contentType] of [
      ["JSON", line.JsonExporter, "application/json"],
      ["protobuf", line.ProtobufExporter, "application/x-protobuf"],
    ]) {
      test(`a real agent run carries its score on the root span exported over OTLP/HTTP ${format}`, async () => {
        const receiver = await startReceiver();
        const exporter = new Exporter({ url: receiver.url });
        const { provider, tracer, trajectory, logExporter } = setUp(line, { exporter });
        assert.equal(await line.runAgent(tracer, GOOD_PATH), "refunded");
        assert.equal(await line.runAgent(tracer, LUCKY_PATH), "refunded");
        await trajectory.drain();
        await provider.shutdown();
        await receiver.stop();
        assert.deepEqual(receiver.contentTypes(), [contentType]);
        const roots = receiver.spans().filter((span) => span.parent_id === "");
        assert.equal(roots.length, 2);
        const [good, lucky] = roots.map((root) => root.attributes);
        // JavaScript has no double 1: a perfect score leaves as an integer, any other as a double.
        assert.deepEqual(good.get("trajectory.step_accuracy.score"), { type: "intValue", value: 1 });
        assert.equal(good.get("trajectory.step_accuracy.label").value, "pass");
        assert.equal(good.get("trajectory.step_accuracy.status").value, "scored");
        // authenticate and fetch_policy are missing of four: 1 - 2/4.
        assert.deepEqual(lucky.get("trajectory.step_accuracy.score"), { type: "doubleValue", value: 0.5 });
        assert.equal(lucky.get("trajectory.step_accuracy.label").value, "fail");
        assert.deepEqual(
          evaluations(logExporter).map((event) => event.attributes["gen_ai.evaluation.score.value"]),
          [1, 0.5],
        );
      });
    }

    test("the event belongs to the entry agent's span, not to the root above it", async () => {
      const { provider, tracer, trajectory, logExporter, spanExporter } = setUp(line);
      await inSpan(tracer, "POST /chat", { "http.request.method": "POST" }, () => refund(tracer));
      await trajectory.drain();
      await provider.forceFlush();
      const agent = spanExporter.getFinishedSpans().find((span) => span.name === "invoke_agent support_agent");
      const root = spanExporter.getFinishedSpans().find((span) => span.name === "POST /chat");
      const [event, ...others] = evaluations(logExporter);
      assert.equal(others.length, 0);
      assert.equal(event.spanContext.traceId, agent.spanContext().traceId);
      assert.equal(event.spanContext.spanId, agent.spanContext().spanId);
      assert.equal(event.severityNumber, 9);
      assert.equal(event.attributes["gen_ai.evaluation.score.value"], 1);
      assert.equal(event.attributes["gen_ai.agent.name"], "support_agent");
      assert.equal(event.attributes["trajectory.unit_id"], `trajectory:${root.spanContext().traceId}`);
      assert.equal(event.attributes["trajectory.complete"], true);
      assert.equal(event.attributes["trajectory.expectation.id"], "refund");
      assert.match(event.attributes["trajectory.evaluation.id"], /^[0-9a-f]{32}$/);
      assert.equal(root.attributes["trajectory.step_accuracy.score"], 1);
      assert.equal(agent.attributes["trajectory.step_accuracy.score"], undefined);
      await provider.shutdown();
    });

    test("the score histogram has buckets that tell scores apart", async () => {
      const { MeterProvider, PeriodicExportingMetricReader, InMemoryMetricExporter } = line.sdkMetrics;
      const exporter = new InMemoryMetricExporter(line.sdkMetrics.AggregationTemporality.CUMULATIVE);
      const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
      const meterProvider = new MeterProvider({ readers: [reader] });
      const { provider, tracer, trajectory } = setUp(line, { options: { meterProvider } });
      await refund(tracer);
      await trajectory.drain();
      await provider.shutdown();
      await meterProvider.forceFlush();
      const metric = exporter
        .getMetrics()
        .at(-1)
        .scopeMetrics.flatMap((scope) => scope.metrics)
        .find(({ descriptor }) => descriptor.name === "trajectory.evaluation.score");
      assert.equal(metric.descriptor.unit, "1");
      assert.equal(metric.dataPoints.length, 1);
      const [{ value, attributes }] = metric.dataPoints;
      assert.deepEqual(value.buckets.boundaries, BOUNDS);
      assert.equal(value.count, 1);
      assert.equal(value.buckets.counts.at(-1), 1);
      assert.deepEqual(attributes, {
        "gen_ai.agent.name": "support_agent",
        "gen_ai.evaluation.name": "step_accuracy",
        "trajectory.complete": true,
        "trajectory.unit": "trajectory",
      });
      await meterProvider.shutdown();
    });

    test("a session is scored after its idle time, over all its traces", async () => {
      const session = { ...EXPECTATION, unit: "session" };
      const { provider, tracer, logExporter } = setUp(line, {
        scorers: [stepAccuracy({ unit: "session" })],
        // Longer than a busy machine lets a process wait between two traces.
        options: { expectations: [session], sessionIdleMillis: 1_000 },
      });
      for (const names of [["authenticate"], ["fetch_order", "fetch_policy"], ["issue_refund"]]) {
        // Traces that start in one millisecond have no order; the turns of a conversation do not.
        await new Promise((resolve) => setTimeout(resolve, 5));
        const attributes = { ...agentAttributes("support_agent"), "session.id": "s-1" };
        await inSpan(tracer, "invoke_agent support_agent", attributes, async () => {
          for (const name of names)
            await inSpan(tracer, `execute_tool ${name}`, toolAttributes(name), async () => undefined);
        });
      }
      const [event] = await eventually("the session's event", () => {
        const events = evaluations(logExporter);
        return events.length > 0 && events;
      });
      assert.equal(event.attributes["trajectory.unit_id"], "session:s-1");
      assert.equal(event.attributes["session.id"], "s-1");
      assert.equal(event.attributes["gen_ai.evaluation.score.value"], 1);
      await provider.shutdown();
      assert.equal(evaluations(logExporter).length, 1);
    });

    test("a host that never calls onEnding still gets its event", async () => {
      const { provider, tracer, trajectory, logExporter, spanExporter } = setUp(line, {
        host: (processor) => [withoutOnEnding(processor)],
      });
      await refund(tracer);
      await trajectory.drain();
      await provider.forceFlush();
      const [event] = evaluations(logExporter);
      assert.equal(event.attributes["gen_ai.evaluation.score.value"], 1);
      const root = spanExporter.getFinishedSpans().find((span) => span.parentSpanContext === undefined);
      assert.equal(root.attributes["trajectory.step_accuracy.score"], undefined);
      await provider.shutdown();
    });

    test("a host that ends children by force after the root loses none of them", async () => {
      const { provider, tracer, trajectory, logExporter } = setUp(line, {
        host: (processor) => [endingChildrenByForce(), processor],
      });
      const root = tracer.startSpan("invoke_agent support_agent", { attributes: agentAttributes("support_agent") });
      const beneath = trace.setSpan(context.active(), root);
      for (const name of ["authenticate", "fetch_policy", "fetch_order"]) {
        tracer.startSpan(`execute_tool ${name}`, { attributes: toolAttributes(name) }, beneath).end();
      }
      tracer.startSpan("execute_tool issue_refund", { attributes: toolAttributes("issue_refund") }, beneath);
      root.end();
      await trajectory.drain();
      const event = evaluations(logExporter).at(-1);
      assert.equal(event.attributes["gen_ai.evaluation.score.value"], 1);
      assert.equal(event.attributes["trajectory.complete"], true);
      await provider.shutdown();
    });

    for (const [format, Exporter] of [
      ["JSON", line.JsonExporter],
      ["protobuf", line.ProtobufExporter],
    ]) {
      test(`held roots arrive decorated over OTLP/HTTP ${format}, late children included, without onEnding`, async () => {
        const receiver = await startReceiver();
        const next = line.batch(new Exporter({ url: receiver.url }));
        const { provider, tracer } = setUp(line, {
          options: { attach: "hold", next, holdMillis: 5_000 },
          host: (processor) => [endingChildrenByForce(), withoutOnEnding(processor)],
        });
        const root = tracer.startSpan("invoke_agent support_agent", { attributes: agentAttributes("support_agent") });
        const beneath = trace.setSpan(context.active(), root);
        for (const name of ["authenticate", "fetch_policy", "fetch_order"]) {
          tracer.startSpan(`execute_tool ${name}`, { attributes: toolAttributes(name) }, beneath).end();
        }
        tracer.startSpan("execute_tool issue_refund", { attributes: toolAttributes("issue_refund") }, beneath);
        root.end();
        await provider.shutdown();
        await receiver.stop();
        const spans = receiver.spans();
        assert.deepEqual(spans.map((span) => span.name).sort(), [
          "execute_tool authenticate",
          "execute_tool fetch_order",
          "execute_tool fetch_policy",
          "execute_tool issue_refund",
          "invoke_agent support_agent",
        ]);
        const exported = spans.find((span) => span.parent_id === "");
        assert.deepEqual(exported.attributes.get("trajectory.step_accuracy.score"), { type: "intValue", value: 1 });
        assert.equal(exported.attributes.get("gen_ai.agent.name").value, "support_agent");
      });
    }

    test("an evaluation span beneath the root carries the score where that is asked for", async () => {
      const evaluationSpans = new line.InMemorySpanExporter();
      const evaluating = line.tracerProvider({ spanProcessors: [line.batch(evaluationSpans)] });
      const { provider, tracer, trajectory, spanExporter } = setUp(line, {
        options: { attach: "span", tracerProvider: evaluating },
      });
      await refund(tracer);
      await trajectory.drain();
      await evaluating.forceFlush();
      const [span, ...more] = evaluationSpans.getFinishedSpans();
      assert.equal(more.length, 0);
      assert.equal(span.attributes["trajectory.step_accuracy.score"], 1);
      await provider.forceFlush();
      const root = spanExporter.getFinishedSpans().find((each) => each.parentSpanContext === undefined);
      assert.equal(span.spanContext().traceId, root.spanContext().traceId);
      assert.equal(span.parentSpanContext.spanId, root.spanContext().spanId);
      assert.equal(root.attributes["trajectory.step_accuracy.score"], undefined);
      await Promise.all([provider.shutdown(), evaluating.shutdown()]);
    });

    test("tool calls inside completions count, in this line's own attribute shape", async () => {
      const { provider, tracer, trajectory, logExporter } = setUp(line);
      const messages = ["authenticate", "fetch_order", "fetch_policy", "issue_refund"].map((name, index) => ({
        role: "assistant",
        parts: [{ type: "tool_call", id: `c${index}`, name, arguments: { n: index } }],
        finish_reason: "tool_call",
      }));
      await inSpan(tracer, "invoke_agent support_agent", agentAttributes("support_agent"), async () => {
        for (const message of messages) {
          const attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.output.messages": line.structured([message]),
          };
          await inSpan(tracer, "chat model", attributes, async () => undefined);
        }
      });
      await trajectory.drain();
      assert.equal(evaluations(logExporter)[0].attributes["gen_ai.evaluation.score.value"], 1);
      await provider.shutdown();
    });

    test("a team that exports nothing still scores everything", async () => {
      const { provider, tracer, trajectory, logExporter, spanExporter } = setUp(line, {
        sampler: recordUnsampled(new line.AlwaysOffSampler()),
      });
      await refund(tracer);
      await trajectory.drain();
      await provider.forceFlush();
      assert.equal(spanExporter.getFinishedSpans().length, 0);
      assert.equal(evaluations(logExporter)[0].attributes["gen_ai.evaluation.score.value"], 1);
      await provider.shutdown();
    });

    test("without options, logger and meter come from the API globals that were set after construction", async () => {
      const { MeterProvider, PeriodicExportingMetricReader, InMemoryMetricExporter } = line.sdkMetrics;
      const { provider, tracer, trajectory } = setUp(line, { options: { loggerProvider: undefined } });
      const logExporter = new line.InMemoryLogRecordExporter();
      const metricExporter = new InMemoryMetricExporter(line.sdkMetrics.AggregationTemporality.CUMULATIVE);
      const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
      const meterProvider = new MeterProvider({ readers: [reader] });
      line.logs.setGlobalLoggerProvider(line.loggerProvider(line.logProcessor(logExporter)));
      metrics.setGlobalMeterProvider(meterProvider);
      try {
        await refund(tracer);
        await trajectory.drain();
        await provider.shutdown();
        await meterProvider.forceFlush();
        assert.equal(evaluations(logExporter).length, 1);
        const names = metricExporter
          .getMetrics()
          .flatMap((batch) =>
            batch.scopeMetrics.flatMap((scope) => scope.metrics.map((metric) => metric.descriptor.name)),
          );
        assert.ok(names.includes("trajectory.evaluation.score"), names.join());
      } finally {
        line.logs.disable();
        metrics.disable();
        await meterProvider.shutdown();
      }
    });

    test("works inside NodeSDK, beside the exporter's own processor", async () => {
      const spanExporter = new line.InMemorySpanExporter();
      const logExporter = new line.InMemoryLogRecordExporter();
      const { PeriodicExportingMetricReader, InMemoryMetricExporter } = line.sdkMetrics;
      const metricExporter = new InMemoryMetricExporter(line.sdkMetrics.AggregationTemporality.CUMULATIVE);
      const trajectory = new TrajectorySpanProcessor({ expectations: [EXPECTATION] });
      const sdk = new line.NodeSDK({
        spanProcessors: [trajectory, line.batch(spanExporter)],
        logRecordProcessors: [line.logProcessor(logExporter)],
        metricReaders: [
          new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 }),
        ],
        resourceDetectors: [],
      });
      sdk.start();
      try {
        const tracer = trace.getTracer("app");
        assert.equal(await line.runAgent(tracer, GOOD_PATH), "refunded");
        await trajectory.drain();
        const names = evaluations(logExporter).map((event) => event.attributes["gen_ai.evaluation.name"]);
        assert.deepEqual(names.sort(), ["step_accuracy", "tool_selection_accuracy"]);
        await trace.getTracerProvider().getDelegate?.().forceFlush();
        const root = spanExporter.getFinishedSpans().find((span) => span.parentSpanContext === undefined);
        assert.equal(root.attributes["trajectory.step_accuracy.score"], 1);
      } finally {
        await sdk.shutdown();
        trace.disable();
      }
    });

    test("require() gives the same package", () => {
      const required = createRequire(import.meta.url)("otel-trajectory");
      assert.equal(required.TrajectorySpanProcessor, TrajectorySpanProcessor);
      const core = createRequire(import.meta.url)("otel-trajectory/core");
      const result = core.stepAccuracy().score({
        unit: "trajectory",
        unit_id: "x",
        steps: [{ kind: "TOOL", name: "a" }],
        expectation: { expected_steps: ["a"] },
      });
      assert.equal(result.score, 1);
    });

    faultTests(line);
    vectorTests(line, JSON.parse(readFileSync(new URL("spans.json", import.meta.url), "utf8")));
  });
}
