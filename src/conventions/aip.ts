import { own, text } from "./attributes.ts";
import { type Convention, PRECEDENCE, type Verdict } from "./convention.ts";

// Our own attributes; they override what instrumentations say. Source: the contract of this product.
//
// | key             | meaning                                                      |
// | --------------- | ------------------------------------------------------------ |
// | aip.span.kind   | TOOL, AGENT, LLM or NONE (no step, whatever else is written) |
// | aip.agent.name  | identity of an AGENT; never makes one                        |
// | aip.tool.name   | name of a TOOL; never makes one                              |

const KINDS: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ["TOOL", "TOOL"],
  ["AGENT", "AGENT"],
  ["LLM", "LLM"],
  ["NONE", "NONE"],
]);

/** `aip.*`: what the application says itself. */
export const aip: Convention = {
  name: "aip",
  markers: ["aip.span.kind", "aip.agent.name", "aip.tool.name"],
  content: [],
  rules: [{ precedence: PRECEDENCE.override, decide: (span) => KINDS.get(own(span.attributes, "aip.span.kind")) }],
  tool: (span) => ({ name: text(span.attributes, "aip.tool.name") }),
  agent: (span) => text(span.attributes, "aip.agent.name"),
};
