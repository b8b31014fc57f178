/** What emitters put in front of a tool's name when they name its span (conventions, section 9). */
const SPAN_NAME_PREFIXES = [
  "execute_tool ",
  "tools/call ",
  "ai.toolCall ",
  "tool.execution:",
  "anthropic.custom_tool_use ",
  "anthropic.tool_use ",
  "anthropic.mcp_tool_use ",
  "running tool: ",
  "client_tool_call ",
  "Tool: ",
] as const;

/** The tool's name inside a span's name; the span's name itself where no known prefix is in front. */
export function toolNameOfSpan(spanName: string): string {
  for (const prefix of SPAN_NAME_PREFIXES) {
    if (!spanName.startsWith(prefix)) continue;
    const name = spanName.slice(prefix.length);
    if (name.trim() !== "") return name;
  }
  return spanName;
}
