// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "Vercel AI SDK 7",
  package: "ai",
  node: [22, 15],
  notRecorded: "",
};
