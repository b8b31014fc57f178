// The same agent behind a web server with the HTTP instrumentation on: the root of the trace is now the server's span,
// and the one expectation still holds. `npm run build && node examples/vercel-ai-behind-http.mjs`
import { createRequire } from "node:module";
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { TrajectorySpanProcessor } from "otel-trajectory";
import { printEvent, printScoresOf } from "./support/print.mjs";
import { supportAgent } from "./support/support-agent.mjs";
import { startTelemetry } from "./support/telemetry.mjs";

const trajectory = new TrajectorySpanProcessor({
  expectations: [
    {
      id: "refund",
      match: { agent: "support_agent" },
      status: "approved",
      expected_steps: ["authenticate", ["fetch_order", "fetch_policy"], "issue_refund"],
      expected_tools: ["issue_refund"],
    },
  ],
});
const telemetry = startTelemetry(trajectory);
const instrumentation = new HttpInstrumentation();
instrumentation.enable();

// Loaded after the instrumentation, so that the server is instrumented.
const http = createRequire(import.meta.url)("node:http");
const server = http.createServer(async (_request, response) => {
  response.end(await supportAgent("Please refund order 1042."));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address();

console.log("POST /chat");
const response = await fetch(`http://127.0.0.1:${port}/chat`, { method: "POST" });
console.log(`  answer: ${await response.text()}`);
await new Promise((resolve) => server.close(resolve));
await trajectory.drain();

console.log("\nEvents:");
for (const event of telemetry.events()) printEvent(event);

const spans = await telemetry.spans();
const root = spans.find((span) => span.parentSpanContext === undefined);
console.log(`\nThe root span is the web server's, "${root.name}", and carries the scores:`);
printScoresOf(root);
const agent = spans.find((span) => span.spanContext().spanId === telemetry.events()[0]?.spanContext?.spanId);
console.log(`\nThe events belong to the agent's own span, "${agent?.name}".`);
instrumentation.disable();
await telemetry.stop();
