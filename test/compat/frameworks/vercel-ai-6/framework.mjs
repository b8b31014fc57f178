// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "Vercel AI SDK 6",
  package: "ai",
  node: [20, 19],
  quick: true,
  notRecorded: "",
};
