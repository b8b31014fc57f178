// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "Traceloop for OpenAI",
  package: "@traceloop/node-server-sdk",
  node: [20, 19],
  expect: {
    S4: { tools: [["get_financials", "value_property"]] },
    // The span of a tool that throws is never ended, so its trace stays open and the call is not seen.
    S6: {
      steps: [[{ kind: "TOOL", name: "get_rate", args: { pair: "USD/EUR" } }]],
      tools: [["get_rate"]],
      incomplete: ["open_spans"],
    },
  },
  embedded: true,
  notRecorded: "a tool call that throws (its span never ends); delegations as tool calls",
};
