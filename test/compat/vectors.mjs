// Every row of the span vectors, through the processor: real SDK spans with the rows' own ids, times and order of end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { defineScorer, TrajectorySpanProcessor } from "otel-trajectory";

const MINIMUM_ROWS = 23;

export function vectorTests(line, rows) {
  test("the vectors are all there", () => assert.ok(rows.length >= MINIMUM_ROWS));
  for (const row of rows) {
    test(`vector ${row.id}: ${row.why}`, async () => {
      const seen = await observe(line, row);
      assert.equal(seen.length, 1, "exactly one unit was scored");
      const [occurrence] = seen;
      const steps = row.want.steps.map((wanted, index) => pick(occurrence.steps[index] ?? {}, Object.keys(wanted)));
      assert.deepEqual(steps, row.want.steps);
      assert.equal(occurrence.steps.length, row.want.steps.length);
      assert.deepEqual(
        occurrence.tools.map((step) => step.name),
        row.want.tools,
      );
      assert.deepEqual(occurrence.unread ?? [], row.want.unread ?? []);
      if (row.want.session_id !== undefined) assert.equal(occurrence.session_id, row.want.session_id);
    });
  }
}

/** Plays a row's spans and returns the occurrences that a scorer was handed. */
async function observe(line, row) {
  const { unit = "trajectory", ...trajectoryOptions } = row.options ?? {};
  const seen = [];
  const trajectory = new TrajectorySpanProcessor({
    scorers: [probe(unit, seen)],
    trajectory: trajectoryOptions,
    attach: "none",
  });
  const ids = hexIds(row.spans);
  const next = {};
  const provider = line.tracerProvider({
    spanProcessors: [trajectory],
    idGenerator: { generateTraceId: () => next.trace, generateSpanId: () => next.span },
  });
  const tracer = provider.getTracer("vectors");
  const open = new Map();
  for (const span of [...row.spans].sort((a, b) => a.start_ns - b.start_ns)) {
    next.trace = ids.trace(span.trace);
    next.span = ids.span(span.id);
    const options = { kind: SpanKind[span.span_kind], startTime: hrTime(span.start_ns), attributes: span.attributes };
    open.set(span, tracer.startSpan(span.name, options, parentContext(span, ids)));
  }
  for (const span of row.spans) {
    if (span.status === "ERROR") open.get(span).setStatus({ code: SpanStatusCode.ERROR });
    open.get(span).end(hrTime(span.end_ns));
  }
  await trajectory.drain();
  await provider.shutdown();
  return seen;
}

/** A scorer that keeps what it is handed. It needs no expectation. */
function probe(unit, seen) {
  return defineScorer({
    name: "test.probe",
    version: "1.0.0",
    metric_name: "probe",
    units: [unit],
    score: (occurrence) => {
      seen.push(occurrence);
      return { status: "scored", score: 1, label: "informational", metadata: {} };
    },
  });
}

function parentContext(span, ids) {
  if (!span.parent) return ROOT_CONTEXT;
  const parent = { traceId: ids.trace(span.trace), spanId: ids.span(span.parent), traceFlags: 1 };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Maps the rows' ids to hex one to one, keeping their order. */
function hexIds(spans) {
  const order = (names) => new Map([...new Set(names)].sort().map((name, index) => [name, index + 1]));
  const traces = order(spans.map((span) => span.trace));
  const all = order(spans.flatMap((span) => [span.id, ...(span.parent ? [span.parent] : [])]));
  return {
    trace: (name) => traces.get(name).toString(16).padStart(32, "0"),
    span: (name) => all.get(name).toString(16).padStart(16, "0"),
  };
}

const hrTime = (nanoseconds) => [Math.floor(nanoseconds / 1e9), nanoseconds % 1e9];

const pick = (object, keys) => Object.fromEntries(keys.filter((key) => key in object).map((key) => [key, object[key]]));
