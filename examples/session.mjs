// One conversation over three turns: three traces, joined by their session id into one session, which gets a score of
// its own. `npm run build && node examples/session.mjs`
import { stepAccuracy, TrajectorySpanProcessor } from "otel-trajectory";
import { printEvent } from "./support/print.mjs";
import { REFUND_ANSWER, supportAgent } from "./support/support-agent.mjs";
import { startTelemetry } from "./support/telemetry.mjs";

const trajectory = new TrajectorySpanProcessor({
  scorers: [stepAccuracy({ unit: "session", metric_name: "session_step_accuracy", threshold: 0.9 })],
  expectations: [
    {
      id: "refund-conversation",
      unit: "session",
      match: { agent: "support_agent" },
      status: "approved",
      expected_steps: ["authenticate", ["fetch_order", "fetch_policy"], "issue_refund"],
    },
  ],
});
const telemetry = startTelemetry(trajectory);

const turns = [
  {
    says: "Hello, I am customer c-17.",
    path: [[{ tool: "authenticate", input: { customer: "c-17" } }], "Hello! How can I help?"],
  },
  {
    says: "May I still return order 1042?",
    path: [
      [
        { tool: "fetch_policy", input: { topic: "refunds" } },
        { tool: "fetch_order", input: { order: "1042" } },
      ],
      "Yes, you may.",
    ],
  },
  {
    says: "Then please do.",
    path: [[{ tool: "issue_refund", input: { order: "1042", amount: 40, currency: "EUR" } }], REFUND_ANSWER],
  },
];

for (const [index, turn] of turns.entries()) {
  await new Promise((resolve) => setTimeout(resolve, 20)); // the customer types
  const answer = await supportAgent(turn.says, { path: turn.path, sessionId: "sess-7f3a" });
  console.log(`turn ${index + 1}  user:  ${turn.says}\n        agent: ${answer}`);
}

// Live, a session is scored half an hour after its last trace. `endSession` says that it is over now.
trajectory.endSession("sess-7f3a");
await trajectory.drain();

console.log("\nThe session's event:");
for (const event of telemetry.events()) {
  printEvent(event);
  console.log(`  session.id: ${event.attributes["session.id"]}, unit: ${event.attributes["trajectory.unit_id"]}`);
}
await telemetry.stop();
