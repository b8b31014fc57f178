// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "OpenInference for LangChain",
  package: "@arizeai/openinference-instrumentation-langchain",
  node: [20, 19],
  bareArguments: true,
  quick: true,
  notRecorded: 'the name of a single argument: `{ id: "h1" }` is recorded as `h1`, so it is never compared',
};
