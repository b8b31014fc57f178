import { describe, expect, test } from "vitest";
import { DEFAULT_CONVENTIONS } from "../../src/conventions/defaults.ts";
import { captures, captureText } from "../support/captures.ts";
import { viewsOfOtlp } from "../support/read-traces.ts";
import { conventionContract } from "./convention.ts";

// Every third file: more than a thousand spans, of every instrumentation.
const SAMPLES = captures()
  .filter((_, index) => index % 3 === 0)
  .flatMap((capture) => viewsOfOtlp(captureText(capture)));

test("every convention is under contract", () => {
  expect(DEFAULT_CONVENTIONS.map((convention) => convention.name)).toEqual([
    ...["aip", "mcp", "gen-ai", "vercel-ai", "sentry", "pydantic-ai", "google-adk", "livekit", "mastra", "genkit"],
    ...["mlflow", "langfuse", "voltagent", "laminar", "traceloop", "openinference", "langchain", "beeai"],
    ...["openai-agents", "strands", "anthropic-sdk", "claude-code", "langsmith", "ax", "openlit", "crewai"],
    ...["microsoft-agents", "autogen", "haystack", "datadog"],
  ]);
});

describe.each(DEFAULT_CONVENTIONS.map((convention) => [convention.name, convention] as const))(
  "%s",
  (_, convention) => {
    conventionContract(convention, SAMPLES);
  },
);
