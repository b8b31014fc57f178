import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiagLogLevel, diag } from "@opentelemetry/api";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  defineScorer,
  judge,
  type Occurrence,
  orderAware,
  renderExplanation,
  rubric,
  stepAccuracy,
  stepCredit,
  type TrajectorySpanProcessorOptions,
  toolF1,
  toolSelectionAccuracy,
  trajectoryMatch,
  trajectoryShape,
} from "../../src/index.ts";
import { agent, child, enableContext, Telemetry, tool } from "../support/telemetry.ts";

beforeAll(enableContext);
afterEach(() => diag.disable());

const folder = mkdtempSync(join(tmpdir(), "data-policy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Each place that may hold content has a word of its own, so that a finding says what leaked. */
const SECRETS = ["arguments", "prompt", "answer", "result", "thought", "embedded", "exception", "status"] as const;
const secret = (place: (typeof SECRETS)[number]): string => `SECRET-${place}-4711`;
const found = (text: string): string[] => SECRETS.filter((place) => text.includes(secret(place)));

/** An agent whose arguments, prompts, outputs and errors are full of secrets, in several dialects. */
function speak({ tracer }: Telemetry): string {
  const root = agent(tracer, "support", {
    "session.id": "s-1",
    "aip.egress": "permitted",
    "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: secret("prompt") }] }]),
    "input.value": secret("prompt"),
    "output.value": secret("answer"),
  });
  const model = child(
    tracer,
    "chat m",
    {
      "gen_ai.operation.name": "chat",
      "aip.egress": "permitted",
      "gen_ai.system_instructions": secret("prompt"),
      "gen_ai.output.messages": JSON.stringify([
        {
          role: "assistant",
          parts: [
            { type: "reasoning", content: secret("thought") },
            { type: "text", content: secret("answer") },
            { type: "tool_call", id: "c1", name: "search", arguments: { q: secret("embedded") } },
          ],
        },
      ]),
    },
    root,
  );
  model.addEvent("gen_ai.choice", { message: secret("answer") });
  model.end();
  const call = tool(tracer, "search", root, {
    "aip.egress": "permitted",
    "gen_ai.tool.call.id": "c1",
    "gen_ai.tool.call.arguments": JSON.stringify({ q: secret("arguments"), id: 1 }),
    "gen_ai.tool.call.result": secret("result"),
    "input.value": secret("arguments"),
    "output.value": secret("result"),
  });
  call.recordException(new Error(secret("exception")));
  call.setStatus({ code: 2, message: secret("status") });
  call.end();
  // Arguments that are no JSON, and those that are too long.
  for (const args of [`{"q": "${secret("arguments")}`, secret("arguments").repeat(10_000)]) {
    tool(tracer, "open", root, { "aip.egress": "permitted", "gen_ai.tool.call.arguments": args }).end();
  }
  root.end();
  return root.spanContext().traceId;
}

const leaky = (occurrence: Occurrence): string => `it went wrong with ${JSON.stringify(occurrence.steps)}`;

const SCORERS = (): TrajectorySpanProcessorOptions["scorers"] => [
  stepAccuracy({ threshold: 0.9 }),
  stepAccuracy({ metric_name: "whole", unit: "session" }),
  toolSelectionAccuracy(),
  orderAware(),
  toolF1(),
  stepCredit(),
  trajectoryMatch(),
  trajectoryShape({ unit: "call" }),
  trajectoryShape({ metric_name: "shape", unit: "trajectory" }),
  rubric({ all: [{ metric: "order_aware", gte: 0.5 }] }),
  defineScorer({
    name: "own.throws",
    version: "1.0.0",
    metric_name: "throws",
    score: (occurrence) => {
      throw Object.assign(new Error(leaky(occurrence)), { name: "ScorerError" });
    },
  }),
  defineScorer({
    name: "own.rejects",
    version: "1.0.0",
    metric_name: "rejects",
    score: async (occurrence) => Promise.reject(new Error(leaky(occurrence))),
  }),
  defineScorer({
    name: "own.errs",
    version: "1.0.0",
    metric_name: "errs",
    score: (occurrence) => ({ status: "error", error: { type: "own_error", message: leaky(occurrence) } }),
  }),
  defineScorer({
    name: "own.tells",
    version: "1.0.0",
    metric_name: "tells",
    score: ({ steps }) => ({
      status: "scored",
      score: 0.5,
      label: "informational",
      metadata: { said: steps[0]?.args },
    }),
  }),
  judge(
    async (occurrence) => {
      throw new Error(leaky(occurrence));
    },
    { metric_name: "judge_throws" },
  ),
  judge(async (occurrence) => ({ score: 0.5, metadata: { reasoning: leaky(occurrence) } }) as never, {
    metric_name: "judge_tells",
  }),
  judge(async (occurrence) => leaky(occurrence) as never, { metric_name: "judge_nonsense" }),
];

/** Everything that leaves, as text, by the way it takes. */
async function outputs(
  options: TrajectorySpanProcessorOptions,
): Promise<{ texts: Record<string, string>; events: number }> {
  const said: unknown[][] = [];
  const keep = (...all: unknown[]): void => void said.push(all);
  diag.setLogger({ error: keep, warn: keep, info: keep, debug: keep, verbose: keep }, DiagLogLevel.ALL);
  const telemetry = new Telemetry({ scorers: SCORERS(), ...options });
  const traceId = speak(telemetry);
  await telemetry.processor.forceFlush();
  const explanation = telemetry.processor.explain(traceId);
  await telemetry.processor.shutdown();
  const added = telemetry.spans.map(({ name, attributes, links }) => {
    const own = Object.entries(attributes).filter(([key]) => key.startsWith("trajectory."));
    return name.startsWith("evaluate ") ? { name, attributes, links } : { name, own };
  });
  const points = [];
  for (const metric of ["score", "results", "corrections", "duration"]) {
    points.push(...(await telemetry.points(`trajectory.evaluation.${metric}`)));
  }
  expect(points.length).toBeGreaterThan(10);
  const texts = {
    events: telemetry.events.map((event) => `${JSON.stringify(event.attributes)} ${String(event.body)}`).join("\n"),
    spans: JSON.stringify(added),
    metrics: JSON.stringify(points),
    diag: said.map((all) => all.map(String).join(" ")).join("\n"),
    stats: JSON.stringify(telemetry.processor.stats()),
    explain: explanation === undefined ? "" : JSON.stringify(explanation) + renderExplanation(explanation),
  };
  return { texts, events: telemetry.events.length };
}

const leaksOf = (texts: Record<string, string>): string[] =>
  Object.entries(texts).flatMap(([way, text]) => found(text).map((place) => `${way}: ${place}`));

const CALLS = [{ name: "search", args: { q: "other" } }, { name: "open", args: { x: 1 } }, { name: "missing" }];
const EXPECTATIONS = [
  { expected_steps: ["search", "close"], expected_tools: ["search", "missing"], expected_calls: CALLS },
  { unit: "session" as const, expected_steps: ["search", "close"] },
];

describe.each<[string, TrajectorySpanProcessorOptions]>([
  ["while the root ends", { attach: "ending" }],
  ["on held roots", { attach: "hold" }],
  ["on spans of their own", { attach: "span" }],
  ["nowhere but in events", { attach: "none" }],
])("scores %s: nothing of arguments, prompts and outputs leaves", (_, attach) => {
  test("with expectations", async () => {
    const { texts, events } = await outputs({ ...attach, expectations: EXPECTATIONS });
    // Every scorer has spoken: seventeen results, one of them for the one model call.
    expect(events).toBe(17);
    expect(texts.events).toContain("search");
    expect(leaksOf(texts)).toEqual([]);
  });

  test("with a function that throws what it was asked with, one that answers nonsense, and a broken file", async () => {
    const file = join(folder, "broken.yaml");
    writeFileSync(file, "expectations: [");
    for (const expectations of [
      (request: unknown) => {
        throw new Error(JSON.stringify(request));
      },
      () => ({ expected_steps: [7] }) as never,
      file,
    ]) {
      const { texts } = await outputs({ ...attach, expectations });
      expect(leaksOf(texts)).toEqual([]);
    }
  });
});

test("emitContent lets arguments and messages out: the words above are there to be found", async () => {
  const { texts } = await outputs({ expectations: EXPECTATIONS, emitContent: true });
  expect(leaksOf(texts)).toEqual(
    expect.arrayContaining(["events: arguments", "diag: arguments", "explain: arguments"]),
  );
});
