// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "OpenAI Agents through OpenInference",
  package: "@arizeai/openinference-instrumentation-openai-agents",
  node: [22, 15],
  handoffs: true,
  sessionBy: "withSession",
  notRecorded: "a session id (`groupId` is not passed on)",
};
