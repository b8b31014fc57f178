// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "Langfuse for LangChain",
  package: "@langfuse/otel",
  node: [20, 19],
  notRecorded: "",
};
