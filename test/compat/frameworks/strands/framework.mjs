// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "Strands Agents",
  package: "@strands-agents/sdk",
  node: [22, 15],
  notRecorded: "",
};
