// A Vercel AI SDK agent, scored while it runs. `npm run build && node examples/vercel-ai-agent.mjs`
import { stepAccuracy, TrajectorySpanProcessor, toolSelectionAccuracy } from "otel-trajectory";
import { printEvent, printScoresOf } from "./support/print.mjs";
import { LUCKY_PATH, supportAgent } from "./support/support-agent.mjs";
import { startTelemetry } from "./support/telemetry.mjs";

// What the agent should do: authenticate, read order and policy in either order, then pay.
const trajectory = new TrajectorySpanProcessor({
  scorers: [stepAccuracy({ threshold: 0.9 }), toolSelectionAccuracy({ threshold: 1 })],
  expectations: [
    {
      id: "refund",
      match: { agent: "support_agent" },
      status: "approved",
      expected_steps: ["authenticate", ["fetch_order", "fetch_policy"], "issue_refund"],
      expected_tools: ["authenticate", "fetch_policy", "issue_refund"],
    },
  ],
});
const telemetry = startTelemetry(trajectory);

console.log("1. The agent does its work as it should.");
console.log(`  answer: ${await supportAgent("Please refund order 1042.")}`);
console.log("2. The agent is lucky: the same answer by a wrong path.");
console.log(`  answer: ${await supportAgent("Please refund order 1042.", { path: LUCKY_PATH })}`);

// A script ends before any timer fires, so it asks for the scores. A server does not need this.
await trajectory.drain();

console.log("\nEvents, as your log backend receives them (gen_ai.evaluation.result):");
for (const event of telemetry.events()) printEvent(event);

console.log("\nAttributes on the two root spans, as your trace backend receives them:");
for (const span of await telemetry.spans()) {
  if (span.parentSpanContext !== undefined) continue;
  console.log(`  ${span.name}`);
  printScoresOf(span);
}
await telemetry.stop();
