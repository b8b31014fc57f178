import { type Convention, ownAttribute, PRECEDENCE, textAttribute } from "../../src/index.ts";

// Acme Agents. Source: acme 2.1.0, src/telemetry.ts; captured spans.
//
// | key        | meaning                                        |
// | ---------- | ---------------------------------------------- |
// | acme.act   | `call` is a TOOL, `think` a model call          |
// | acme.tool  | TOOL: name                                     |
// | acme.args  | TOOL: arguments as JSON text                   |

const ACTS: ReadonlyMap<unknown, "TOOL" | "LLM"> = new Map([
  ["call", "TOOL"],
  ["think", "LLM"],
]);

export const acme: Convention = {
  name: "acme",
  markers: ["acme.act"],
  content: ["acme.args"],
  rules: [
    { precedence: PRECEDENCE.framework, decide: ({ attributes }) => ACTS.get(ownAttribute(attributes, "acme.act")) },
  ],
  tool: ({ attributes }, keep) => ({
    name: textAttribute(attributes, "acme.tool"),
    args: keep(ownAttribute(attributes, "acme.args")),
  }),
};
