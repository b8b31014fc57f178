import type { SpanView } from "../model/span.ts";
import { firstText, own, text } from "./attributes.ts";
import { type Convention, type FailureReport, PRECEDENCE, type Verdict } from "./convention.ts";

// Claude Code, and the Claude Agent SDK that runs it as a process of its own: its spans arrive through a collector.
// Source: captured spans of Claude Code 0.3.332; code.claude.com/docs/en/monitoring-usage.
//
// | key                                | meaning                                                            |
// | ---------------------------------- | ------------------------------------------------------------------ |
// | span.type, span name               | kind, by the table below; VoltAgent uses the key with other words  |
// | tool_name                          | TOOL: name as called, `mcp__<server>__X`; the bare one is beside it |
// | gen_ai.tool.name, tool_use_id      | TOOL: bare name, call id                                           |
// | stop_reason                        | LLM: why it stopped                                                |
// | output_tokens                      | LLM: tokens that it answered with                                  |
// | claude_code.tool.execution, failed | reports the failure of the tool around it                          |
//
// Agents are not named, arguments are not recorded. A sub-agent is the tool `Agent` with its work beneath.

const SCOPE = "com.anthropic.claude_code.tracing";
const NAME_PREFIX = "claude_code.";

const KINDS: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ["claude_code.interaction", "AGENT"],
  ["claude_code.llm_request", "LLM"],
  ["claude_code.tool", "TOOL"],
]);

/** Claude Code. */
export const claudeCode: Convention = {
  name: "claude-code",
  markers: [],
  content: [],
  scopes: [SCOPE],
  spanNames: [NAME_PREFIX],
  rules: [
    { precedence: PRECEDENCE.exclusion, decide: (span) => (isPartOfCall(span) ? "NONE" : undefined) },
    { precedence: PRECEDENCE.framework, decide: (span) => KINDS.get(span.name) },
  ],
  tool: (span) => {
    if (!isClaudeCode(span)) return undefined;
    const { attributes } = span;
    return {
      name: firstText(attributes, ["tool_name", "gen_ai.tool.name"]),
      callId: firstText(attributes, ["gen_ai.tool.call.id", "tool_use_id"]),
    };
  },
  nameless: (span) => span.name === "claude_code.interaction",
  finishReason: (span) => (isClaudeCode(span) ? own(span.attributes, "stop_reason") : undefined),
  outputTokens: (span) => (isClaudeCode(span) ? own(span.attributes, "output_tokens") : undefined),
  failureReport: reportOf,
};

/** Runs, waits and hooks of a call are spans of their own, and repeat its call id. */
function isPartOfCall(span: SpanView): boolean {
  return isClaudeCode(span) && !KINDS.has(span.name);
}

function isClaudeCode(span: SpanView): boolean {
  return span.name.startsWith(NAME_PREFIX);
}

function reportOf(span: SpanView): FailureReport | undefined {
  if (span.name !== "claude_code.tool.execution") return undefined;
  const failed = span.status === "ERROR" || text(span.attributes, "error.type") !== undefined;
  return failed ? { of: "parent", name: "" } : undefined;
}
