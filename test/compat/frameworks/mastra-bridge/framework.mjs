// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "Mastra, OpenTelemetry bridge",
  package: "@mastra/core",
  node: [22, 15],
  expect: {
    S4: { tools: [["agent-financial_analyst", "get_financials", "agent-assess_collateral", "value_property"]] },
  },
  notRecorded: "",
};
