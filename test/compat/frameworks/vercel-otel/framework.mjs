// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "Vercel AI SDK 6 through `@vercel/otel`",
  package: "@vercel/otel",
  node: [20, 19],
  notRecorded: "",
};
