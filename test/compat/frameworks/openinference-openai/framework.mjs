// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "OpenInference for OpenAI",
  package: "@arizeai/openinference-instrumentation-openai",
  node: [20, 19],
  // The loop calls its sub-agents as functions, so no tool span marks the delegation.
  expect: { S4: { tools: [["get_financials", "value_property"]] } },
  embedded: true,
  quick: true,
  notRecorded: "delegations as tool calls, where the loop calls sub-agents as functions",
};
