import { type Context, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api";
import { BasicTracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import fc from "fast-check";
import { expect, test } from "vitest";
import { defineScorer, type Occurrence, TrajectorySpanProcessor } from "../../src/index.ts";
import { occurrenceOfTrace } from "../../src/trajectory/occurrence.ts";
import { viewOfReadableSpan } from "../../src/wire/from-readable-span.ts";
import { tracesOfViews } from "../support/read-traces.ts";

/** One span to start: beneath which earlier one, how its parent is passed on, what it is. */
const spanPlan = fc.record({
  parent: fc.nat(),
  /** The live span in the context, or its ids alone, as hosts pass them on that keep no spans. */
  how: fc.constantFrom("span", "span", "span", "ids"),
  what: fc.constantFrom("http", "http", "http", "tool", "agent", "chat"),
  name: fc.constantFrom("alpha", "beta"),
  session: fc.constantFrom({}, {}, { "session.id": "s1" }, { "session.id": "s2" }, { "gen_ai.conversation.id": "s3" }),
  /** How many spans start before it ends. */
  life: fc.nat(6),
});

const ATTRIBUTES = {
  http: () => ({ "http.request.method": "GET" }),
  tool: (name: string) => ({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name }),
  agent: (name: string) => ({ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name }),
  chat: () => ({ "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" }),
};

function contextOf(parent: Span, how: string): Context {
  if (how === "span") return trace.setSpan(ROOT_CONTEXT, parent);
  return trace.setSpanContext(ROOT_CONTEXT, parent.spanContext());
}

test("whatever the tree, the order of ends and the way parents are passed on: live and file answers agree", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(spanPlan, { minLength: 1, maxLength: 25 }), async (plans) => {
      const live: Occurrence[] = [];
      const probe = defineScorer({
        name: "test.probe",
        version: "1.0.0",
        metric_name: "probe",
        units: ["trajectory"],
        score: (occurrence) => {
          live.push(occurrence);
          return { status: "scored", score: 1, label: "informational", metadata: {} };
        },
      });
      const processor = new TrajectorySpanProcessor({ attach: "none", scorers: [probe] });
      const ended: ReadableSpan[] = [];
      const keep = {
        onStart: () => undefined,
        onEnd: (span: ReadableSpan) => void ended.push(span),
        forceFlush: async () => undefined,
        shutdown: async () => undefined,
      };
      const tracer = new BasicTracerProvider({ spanProcessors: [processor, keep] }).getTracer("random");
      const root = tracer.startSpan("POST /", {}, ROOT_CONTEXT);
      const spans: Span[] = [root];
      const ends: { readonly at: number; readonly span: Span }[] = [];
      for (const [index, plan] of plans.entries()) {
        for (const due of ends.filter(({ at }) => at === index)) due.span.end();
        const parent = spans[plan.parent % spans.length] as Span;
        const attributes = { ...ATTRIBUTES[plan.what](plan.name), ...plan.session };
        // A leaf that has ended is known by its object alone; named by its ids, it would be a parent that never came.
        const how = parent.isRecording() ? plan.how : "span";
        const span = tracer.startSpan(`${plan.what} ${plan.name}`, { attributes }, contextOf(parent, how));
        spans.push(span);
        ends.push({ at: index + 1 + plan.life, span });
      }
      for (const due of ends.filter(({ at }) => at >= plans.length)) due.span.end();
      root.end();
      await processor.drain();

      const offline = tracesOfViews(ended.map(viewOfReadableSpan)).map(occurrenceOfTrace);
      const last = live.at(-1);
      expect(last?.steps).toEqual(offline[0]?.steps);
      expect(last?.tools).toEqual(offline[0]?.tools);
      expect(last?.kinds).toEqual(offline[0]?.kinds);
      expect(last?.session_id).toEqual(offline[0]?.session_id);
      expect(last?.incomplete?.includes("session_conflict")).toBe(offline[0]?.incomplete?.includes("session_conflict"));
      const { spans: counted } = processor.stats();
      expect(counted.seen).toBe(plans.length + 1);
      expect(counted.released).toBe(plans.length + 1);
    }),
    { seed: 42, numRuns: 400 },
  );
});
