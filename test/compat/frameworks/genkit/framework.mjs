// What the suite knows about this framework; its agent is in agent.mjs.
export const framework = {
  title: "Genkit",
  package: "genkit",
  node: [20, 19],
  // Genkit brings SDK 1.x, which our optional peers rule out: npm wants to hear that this is meant. Its optional
  // dependencies, the clouds that it can send to, have no part in this.
  installWith: ["--force", "--omit=optional"],
  // Genkit has no span for an agent: a sub-agent is the tool that calls it.
  expect: {
    S4: {
      steps: [
        [
          { kind: "TOOL", name: "financial_analyst" },
          { kind: "TOOL", name: "get_financials", args: { application_id: "L-204" } },
          { kind: "TOOL", name: "assess_collateral" },
          { kind: "TOOL", name: "value_property", args: { address: "12 Elm St" } },
        ],
      ],
    },
  },
  agentsAreTools: true,
  sessionBy: "withSession",
  notRecorded: "agents (a sub-agent is the tool that calls it); a session id",
};
