// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "Traceloop for Vercel AI SDK 6",
  package: "@traceloop/node-server-sdk",
  node: [20, 19],
  notRecorded: "",
};
