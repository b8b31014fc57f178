// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "OpenInference for Vercel AI SDK 7",
  package: "@arizeai/openinference-vercel",
  node: [22, 15],
  notRecorded: "",
};
