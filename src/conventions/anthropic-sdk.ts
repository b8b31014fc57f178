import type { SpanView } from "../model/span.ts";
import { own } from "./attributes.ts";
import { type Convention, PRECEDENCE } from "./convention.ts";

// The Anthropic SDK's own tracing. Kinds, names, arguments and answers follow OpenTelemetry GenAI and are read there;
// in its default mode content is not recorded, names and stop reasons are.
// Source: @anthropic-ai/sdk 1.14.0 (src/internal/tracing.ts, src/lib/internal/tracing); captured spans.
//
// | key                                          | meaning                                                    |
// | -------------------------------------------- | ---------------------------------------------------------- |
// | name `anthropic.messages.create`             | LLM, where no operation is recorded                        |
// | name `anthropic.messages.tool_runner`        | AGENT without a name                                       |
// | names `anthropic.{custom_,mcp_,}tool_use X`  | TOOL X                                                     |
// | anthropic.message.stop_reason                | LLM: why it stopped; recorded in every mode                |
// | anthropic.session.id                         | session (session-keys.ts)                                  |

const PREFIX = "anthropic.";
const TOOL_NAMES = ["anthropic.custom_tool_use ", "anthropic.tool_use ", "anthropic.mcp_tool_use "] as const;

/** The Anthropic SDK. */
export const anthropicSdk: Convention = {
  name: "anthropic-sdk",
  markers: ["anthropic.message.stop_reason"],
  content: [],
  spanNames: [PREFIX],
  rules: [
    {
      precedence: PRECEDENCE.spanName,
      decide: ({ name }) => {
        if (name === "anthropic.messages.create") return "LLM";
        return TOOL_NAMES.some((prefix) => name.startsWith(prefix)) ? "TOOL" : undefined;
      },
    },
  ],
  nameless: (span) => span.name === "anthropic.messages.tool_runner",
  finishReason: ({ attributes }: SpanView) => own(attributes, "anthropic.message.stop_reason"),
};
