// What becomes of a finished trace of 50 steps: it is assembled, its annotated expectations are resolved, every scorer
// that needs no code of the host scores it, and the results are handed out. Against one OTLP/JSON serialisation of the
// same spans, which any exporter does.
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { TrajectorySpanProcessor } from "otel-trajectory";
import {
  exactMatch,
  forbiddenTools,
  inOrderSubset,
  manifests,
  maxCalls,
  orderAware,
  rubric,
  setOverlap,
  stepAccuracy,
  stepCredit,
  toolF1,
  toolSelectionAccuracy,
  trajectoryMatch,
  trajectoryShape,
} from "otel-trajectory/core";
import { consume, interleave, ratio } from "./support.mjs";

const TURNS = 25;
const TRACES = 10;
const names = ["search_hotels", "get_weather", "convert_currency", "book_room", "send_mail"];
const nameOf = (step) => names[(step * 7) % names.length];
const argumentsOf = (step) => ({ query: `item ${step}`, currency: "EUR", max_results: 2 });

const calls = Array.from({ length: 2 * TURNS }, (_, step) => ({ name: nameOf(step), args: argumentsOf(step) }));
// One group, one wrong name, one step that is missing.
const expected = calls.map(({ name }) => name);
const annotations = {
  "aip.expected_steps": JSON.stringify([
    expected.slice(0, 3),
    ...expected.slice(3, 20),
    "other",
    ...expected.slice(21, 49),
  ]),
  "aip.expected_tools": JSON.stringify(names),
  "aip.expected_calls": JSON.stringify(calls.map((call, index) => (index === 20 ? { ...call, name: "other" } : call))),
};

/** Every built-in scorer but the one that needs a function of the host. */
function everyScorer() {
  const scorers = [
    stepAccuracy(),
    toolSelectionAccuracy(),
    exactMatch(),
    inOrderSubset(),
    toolF1(),
    orderAware(),
    setOverlap(),
    stepCredit(),
    trajectoryMatch(),
    maxCalls({ max_calls: 60 }),
    forbiddenTools({ forbidden_tools: ["drop_table"] }),
    trajectoryShape({ unit: "trajectory" }),
    rubric({
      all: [
        { metric: "order_aware", gte: 0.5 },
        { metric: "step_credit", gte: 0.5 },
      ],
    }),
  ];
  const left = manifests().filter(({ name }) => !scorers.some((scorer) => scorer.name === name));
  if (left.length !== 1)
    throw new Error(`expected all scorers but the judge, missing: ${left.map(({ name }) => name)}`);
  return scorers;
}

/** The hook calls of new traces, and their spans. */
function recorded() {
  const hooks = [];
  const spans = [];
  const keep = {
    onStart: (span, context) => hooks.push((processor) => processor.onStart(span, context)),
    onEnd: (span) => {
      spans.push(span);
      hooks.push((processor) => processor.onEnd(span));
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const tracer = new BasicTracerProvider({ spanProcessors: [keep] }).getTracer("host");
  for (let index = 0; index < TRACES; index += 1) {
    const attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner", ...annotations };
    const root = tracer.startSpan("invoke_agent planner", { attributes }, ROOT_CONTEXT);
    const within = trace.setSpan(ROOT_CONTEXT, root);
    for (let turn = 0; turn < TURNS; turn += 1) {
      const steps = [2 * turn, 2 * turn + 1];
      tracer.startSpan("chat gpt", { attributes: modelAttributes(steps) }, within).end();
      for (const step of steps)
        tracer.startSpan(`execute_tool ${nameOf(step)}`, { attributes: toolAttributes(step) }, within).end();
    }
    root.end();
  }
  return { hooks, spans };
}

function modelAttributes(steps) {
  const parts = steps.map((step) => ({
    type: "tool_call",
    id: `call_${step}`,
    name: nameOf(step),
    arguments: argumentsOf(step),
  }));
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt",
    "gen_ai.usage.input_tokens": 900,
    "gen_ai.usage.output_tokens": 120,
    "gen_ai.response.finish_reasons": ["tool_calls"],
    "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts }]),
  };
}

function toolAttributes(step) {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": nameOf(step),
    "gen_ai.tool.call.id": `call_${step}`,
    "gen_ai.tool.call.arguments": JSON.stringify(argumentsOf(step)),
    "gen_ai.tool.call.result": JSON.stringify({ items: [{ id: step, name: "One", price: 180 }] }),
  };
}

/** @returns rows of the report */
export async function benchEvaluation() {
  const scorers = everyScorer();
  const processor = new TrajectorySpanProcessor({ scorers, attach: "none" });
  let round;
  const cases = {
    serialise: () => consume(JsonTraceSerializer.serializeRequest(round.spans).length),
    evaluate: () => processor.drain(),
  };
  const before = () => {
    round = recorded();
    for (const hook of round.hooks) hook(processor);
  };
  const times = await interleave(cases, { before });
  const { results } = processor.stats().evaluations;
  if (Object.keys(results).join() !== "scored")
    throw new Error(`not everything was scored: ${JSON.stringify(results)}`);
  await processor.shutdown();
  return [
    {
      work: `evaluation of a 50-step trace, ${scorers.length} scorers`,
      against: "one OTLP/JSON serialisation of its spans",
      ratio: ratio(times, "evaluate", "serialise"),
    },
  ];
}
