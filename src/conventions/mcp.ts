import { has, own } from "./attributes.ts";
import { type Convention, PRECEDENCE } from "./convention.ts";

// Model Context Protocol spans of the OpenTelemetry GenAI conventions.
// Source: semantic-conventions-genai, model/mcp/spans.yaml; semantic-conventions v1.41.0, model/mcp/common.yaml.
//
// | key             | meaning                                                       |
// | --------------- | ------------------------------------------------------------- |
// | mcp.method.name | `tools/call` is a TOOL; every other method is protocol traffic |
//
// Name, arguments and call id are those of `gen_ai.tool.*`, read by the GenAI convention.

/** The attribute that every MCP client and server span has. */
export const MCP_METHOD = "mcp.method.name";

/** MCP client and server spans. */
export const mcp: Convention = {
  name: "mcp",
  markers: [MCP_METHOD],
  content: [],
  rules: [
    {
      precedence: PRECEDENCE.protocol,
      decide: (span) => {
        if (!has(span.attributes, MCP_METHOD)) return undefined;
        return own(span.attributes, MCP_METHOD) === "tools/call" ? "TOOL" : "NONE";
      },
    },
  ],
};
