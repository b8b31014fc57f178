// Runs agents through the processor with nothing but the language: no SDK, no timer, no global is named here. Bundled
// with the package, it is played where there is no Node.
import { judge, renderDiff, stepAccuracy, TrajectorySpanProcessor } from "otel-trajectory";

const EXPECTATIONS = [{ id: "r", match: { agent: "support" }, status: "approved", expected_steps: ["search", "open"] }];

let ids = 0;

/** A span of no particular SDK. */
function span(name, attributes, parent) {
  ids += 1;
  const spanId = ids.toString(16).padStart(16, "0");
  const context = {
    traceId: parent?.spanContext().traceId ?? ids.toString(16).padStart(32, "0"),
    spanId,
    traceFlags: 1,
  };
  return {
    name,
    kind: 0,
    attributes,
    spanContext: () => context,
    parentSpanContext: parent?.spanContext(),
    startTime: [1_700_000_000, ids * 1_000_000],
    endTime: [1_700_000_000, ids * 1_000_000 + 500_000],
    status: { code: 0 },
    events: [],
    resource: { attributes: {} },
    instrumentationScope: { name: "edge" },
    setAttribute(key, value) {
      attributes[key] = value;
    },
  };
}

const CONTEXT = { getValue: () => undefined, setValue: () => CONTEXT, deleteValue: () => CONTEXT };

function play(processor, tools) {
  const root = span("invoke_agent support", {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "support",
    "session.id": "s",
    "aip.egress": "permitted",
  });
  processor.onStart(root, CONTEXT);
  for (const name of tools) {
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "aip.egress": "permitted",
    };
    const call = span(`execute_tool ${name}`, attributes, root);
    processor.onStart(call, CONTEXT);
    processor.onEnd(call);
  }
  processor.onEnding(root);
  processor.onEnd(root);
  return root;
}

const memory = (events) => ({ getLogger: () => ({ emit: (event) => void events.push(event.attributes) }) });
const scoresOf = (events, name) =>
  events
    .filter((each) => each["gen_ai.evaluation.name"] === name)
    .map((each) => each["gen_ai.evaluation.score.value"] ?? each["trajectory.evaluation.reason"]);

/** What came of it, as plain data. */
export async function runAgents({ timers }) {
  const events = [];
  const session = stepAccuracy({ metric_name: "whole", unit: "session", expected_steps: ["search", "open", "search"] });
  const processor = new TrajectorySpanProcessor({
    expectations: EXPECTATIONS,
    scorers: [stepAccuracy({ threshold: 0.9 }), judge(async ({ steps }) => steps.length / 2), session],
    loggerProvider: memory(events),
  });
  const good = play(processor, ["search", "open"]);
  await processor.forceFlush();
  const bad = play(processor, ["search"]);
  await processor.drain();
  const held = [];
  const next = {
    onStart() {},
    onEnd: (each) => void held.push(each.attributes),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const holding = new TrajectorySpanProcessor({ expectations: EXPECTATIONS, attach: "hold", next });
  play(holding, ["search", "open"]);
  await holding.shutdown();
  const files = [];
  const fromFile = new TrajectorySpanProcessor({ expectations: "./expectations.yaml", loggerProvider: memory(files) });
  play(fromFile, ["search"]);
  await fromFile.shutdown();
  const later = [];
  if (timers) {
    const unflushed = new TrajectorySpanProcessor({ expectations: EXPECTATIONS, loggerProvider: memory(later) });
    play(unflushed, ["search", "open"]);
    for (let turn = 0; turn < 500 && later.length === 0; turn += 1) await new Promise((done) => setTimeout(done, 1));
  }
  await processor.shutdown();
  const diff = renderDiff(
    stepAccuracy({ expected_steps: ["search"] }).score({ unit: "trajectory", unit_id: "x", steps: [] }),
  );
  return {
    scores: scoresOf(events, "step_accuracy"),
    judged: scoresOf(events, "judge"),
    sessions: scoresOf(events, "whole"),
    attributes: [good, bad].map((root) => root.attributes["trajectory.step_accuracy.score"]),
    held: held.at(-1)["trajectory.step_accuracy.score"],
    from_file: scoresOf(files, "step_accuracy"),
    later: scoresOf(later, "step_accuracy"),
    problems: processor.stats().problems,
    diff,
  };
}
