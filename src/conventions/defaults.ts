import { aip } from "./aip.ts";
import { anthropicSdk } from "./anthropic-sdk.ts";
import { autoGen } from "./autogen.ts";
import { ax } from "./ax.ts";
import { beeAi } from "./beeai.ts";
import { claudeCode } from "./claude-code.ts";
import type { Convention } from "./convention.ts";
import { crewAi } from "./crewai.ts";
import { datadog } from "./datadog.ts";
import { genAi } from "./gen-ai.ts";
import { genkit } from "./genkit.ts";
import { googleAdk } from "./google-adk.ts";
import { haystack } from "./haystack.ts";
import { laminar } from "./laminar.ts";
import { langChain } from "./langchain.ts";
import { langfuse } from "./langfuse.ts";
import { langsmith } from "./langsmith.ts";
import { liveKit } from "./livekit.ts";
import { mastra } from "./mastra.ts";
import { mcp } from "./mcp.ts";
import { microsoftAgents } from "./microsoft-agents.ts";
import { mlflow } from "./mlflow.ts";
import { openAiAgents } from "./openai-agents.ts";
import { openInference } from "./openinference.ts";
import { openLit } from "./openlit.ts";
import { pydanticAi } from "./pydantic-ai.ts";
import { sentry } from "./sentry.ts";
import { strands } from "./strands.ts";
import { traceloop } from "./traceloop.ts";
import { vercelAi } from "./vercel-ai.ts";
import { voltAgent } from "./voltagent.ts";

/** The names under which {@link CONVENTIONS} holds them. */
export type ConventionName =
  | "aip"
  | "mcp"
  | "genAi"
  | "vercelAi"
  | "sentry"
  | "pydanticAi"
  | "googleAdk"
  | "liveKit"
  | "mastra"
  | "genkit"
  | "mlflow"
  | "langfuse"
  | "voltAgent"
  | "laminar"
  | "traceloop"
  | "openInference"
  | "langChain"
  | "beeAi"
  | "openAiAgents"
  | "strands"
  | "anthropicSdk"
  | "claudeCode"
  | "langsmith"
  | "ax"
  | "openLit"
  | "crewAi"
  | "microsoftAgents"
  | "autoGen"
  | "haystack"
  | "datadog";

/**
 * Every convention by name, for lists of one's own:
 * `conventions: [CONVENTIONS.aip, CONVENTIONS.genAi, myConvention]`.
 */
export const CONVENTIONS: Readonly<Record<ConventionName, Convention>> = Object.freeze({
  aip,
  mcp,
  genAi,
  vercelAi,
  sentry,
  pydanticAi,
  googleAdk,
  liveKit,
  mastra,
  genkit,
  mlflow,
  langfuse,
  voltAgent,
  laminar,
  traceloop,
  openInference,
  langChain,
  beeAi,
  openAiAgents,
  strands,
  anthropicSdk,
  claudeCode,
  langsmith,
  ax,
  openLit,
  crewAi,
  microsoftAgents,
  autoGen,
  haystack,
  datadog,
});

/**
 * Every convention. The kind follows the precedence of the rules, whatever the order here; names, arguments and
 * outputs that the deciding convention does not record are taken from the others in this order.
 */
export const DEFAULT_CONVENTIONS: readonly Convention[] = Object.freeze(Object.values(CONVENTIONS));
