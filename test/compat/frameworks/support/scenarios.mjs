// What the agents of the suite do: their tools, what the scripted model asks for, and what a right reading of it is.
// The runner's model server and every framework's agent share this file, so nothing here depends on a package.

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** The session that scenario S5 plays in. */
export const SESSION = "sess-7f3a";

/** Every tool by name: the types of its arguments, and a way to run it. `run` gets a log of what really ran. */
const TOOLS = {
  search: tool({ query: "string", max_results: "number" }, () => ({ hotels: ["h1", "h2"] })),
  open: tool({ id: "string" }, () => ({ price: 180, currency: "USD" })),
  convert: tool({ amount: "number", from: "string", to: "string" }, () => ({ amount: 165.6 })),
  authenticate: tool({ user: "string" }, () => ({ verified: true })),
  // They start in the order in which they are asked for and end in another.
  fetch_a: tool({ id: "string" }, () => pause(140).then(() => ({ part: "a" }))),
  fetch_b: tool({ id: "string" }, () => pause(30).then(() => ({ part: "b" }))),
  fetch_c: tool({ id: "string" }, () => pause(80).then(() => ({ part: "c" }))),
  finalize: tool({ ids: "string" }, () => ({ done: true })),
  get_financials: tool({ application_id: "string" }, () => ({ revenue: 120_000 })),
  value_property: tool({ address: "string" }, () => ({ value: 310_000 })),
  rebook_flight: tool({ booking: "string", date: "string" }, () => ({ rebooked: true })),
  get_rate: tool({ pair: "string" }, (calls) => {
    if (calls === 1) throw new Error("upstream timeout");
    return { rate: 0.92 };
  }),
};

function tool(fields, result) {
  return { fields, result };
}

/**
 * The tools of one agent, for one run.
 *
 * @param {readonly string[]} names
 * @param {string[]} executed gets the name of every tool that really starts
 */
export function toolsNamed(names, executed) {
  return names.map((name) => {
    const { fields, result } = TOOLS[name];
    let calls = 0;
    return {
      name,
      description: `The tool ${name}.`,
      fields,
      schema: {
        type: "object",
        properties: Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, { type }])),
        required: Object.keys(fields),
        additionalProperties: false,
      },
      execute: async () => {
        executed.push(name);
        calls += 1;
        return result(calls);
      },
    };
  });
}

const call = (name, args) => ({ name, args });
/** A delegation: the framework decides how the tool is called and what it takes, so the server fills that in. */
const delegate = (name, task) => ({ name, delegation: true, task });

/** Says the entries one after the other; `said` is how many tool calls of this agent the conversation holds. */
const inTurns =
  (...entries) =>
  ({ said }) => {
    let before = 0;
    for (const entry of entries) {
      if (typeof entry === "string" || said < before + entry.length) return entry;
      before += entry.length;
    }
    return "done";
  };

const TOOL = (name, args, more = {}) => ({ kind: "TOOL", name, args, ...more });
const AGENT = (name) => ({ kind: "AGENT", name });

const S1 = [
  ["search", { query: "hotels in Paris", max_results: 2 }],
  ["open", { id: "h1" }],
  ["convert", { amount: 180, from: "USD", to: "EUR" }],
];
const S3 = [
  ["authenticate", { user: "u-17" }],
  ["fetch_a", { id: "1" }],
  ["fetch_b", { id: "2" }],
  ["fetch_c", { id: "3" }],
  ["finalize", { ids: "1,2,3" }],
];
const RATE = { pair: "USD/EUR" };
const FINANCES = { application_id: "L-204" };
const PROPERTY = { address: "12 Elm St" };
const BOOKING = { booking: "AB12CD", date: "2026-12-03" };

const HOTEL_AGENT = {
  tools: ["search", "open", "convert"],
  says: inTurns(...S1.map(([name, args]) => [call(name, args)]), "The hotel costs 165.60 EUR."),
};

/**
 * The scenarios. `agents`: name -> its tools and what its model says. `steps` and `tools`: what a right reading gives,
 * one list per trace, unless a framework's own file says what it does not record.
 */
export const SCENARIOS = {
  S1: {
    title: "three tools, one after the other",
    prompts: ["Find a hotel in Paris and tell me the price in EUR."],
    agents: { assistant: HOTEL_AGENT },
    steps: [S1.map(([name, args]) => TOOL(name, args))],
    tools: [["search", "open", "convert"]],
  },
  S3: {
    title: "three tools at the same time",
    prompts: ["Authenticate u-17, fetch the three records and finalize them."],
    agents: {
      assistant: {
        tools: ["authenticate", "fetch_a", "fetch_b", "fetch_c", "finalize"],
        says: inTurns(
          [call(...S3[0])],
          [call(...S3[1]), call(...S3[2]), call(...S3[3])],
          [call(...S3[4])],
          "All three records are final.",
        ),
      },
    },
    steps: [S3.map(([name, args]) => TOOL(name, args))],
    tools: [["authenticate", "fetch_a", "fetch_b", "fetch_c", "finalize"]],
  },
  S4: {
    title: "a supervisor that delegates twice",
    prompts: ["Assess loan application L-204."],
    agents: {
      supervisor: {
        tools: [],
        delegates: ["financial_analyst", "assess_collateral"],
        says: inTurns(
          [delegate("financial_analyst", "Analyse the finances of application L-204.")],
          [delegate("assess_collateral", "Value the collateral at 12 Elm St.")],
          "The loan can be granted.",
        ),
      },
      financial_analyst: {
        tools: ["get_financials"],
        says: inTurns([call("get_financials", FINANCES)], "The finances are sound."),
      },
      assess_collateral: {
        tools: ["value_property"],
        says: inTurns([call("value_property", PROPERTY)], "The collateral is worth 310000."),
      },
    },
    steps: [
      [
        AGENT("financial_analyst"),
        TOOL("get_financials", FINANCES),
        AGENT("assess_collateral"),
        TOOL("value_property", PROPERTY),
      ],
    ],
    tools: [["financial_analyst", "get_financials", "assess_collateral", "value_property"]],
  },
  S4h: {
    title: "a hand-off: the specialist takes the conversation over",
    needs: "handoffs",
    prompts: ["Assess loan application L-204."],
    agents: {
      supervisor: {
        tools: [],
        delegates: ["financial_analyst"],
        says: inTurns([delegate("financial_analyst", "")], "The loan can be granted."),
      },
      financial_analyst: {
        tools: ["get_financials"],
        says: inTurns([call("get_financials", FINANCES)], "The finances are sound."),
      },
    },
    steps: [
      [
        { kind: "TOOL", name: "handoff_to_financial_analyst" },
        AGENT("financial_analyst"),
        TOOL("get_financials", FINANCES),
      ],
    ],
    tools: [["handoff_to_financial_analyst", "get_financials"]],
  },
  S5: {
    title: "a session of three turns",
    session: SESSION,
    prompts: ["Turn 1: hello.", "Turn 2: move my flight AB12CD to 3 December.", "Turn 3: thank you."],
    agents: {
      assistant: {
        tools: ["rebook_flight"],
        says: ({ said, question }) =>
          question.includes("Turn 2") && said === 0 ? [call("rebook_flight", BOOKING)] : "You are welcome.",
      },
    },
    steps: [[], [TOOL("rebook_flight", BOOKING)], []],
    tools: [[], ["rebook_flight"], []],
  },
  S6: {
    title: "a tool that fails, and is called again",
    prompts: ["What is the rate of USD to EUR?"],
    agents: {
      assistant: {
        tools: ["get_rate"],
        says: ({ text }) => (text.includes("0.92") ? "The rate is 0.92." : [call("get_rate", RATE)]),
      },
    },
    steps: [[TOOL("get_rate", RATE, { failed: true }), TOOL("get_rate", RATE)]],
    tools: [["get_rate", "get_rate"]],
  },
  S7: {
    title: "tools that no span marks, behind a web server",
    needs: "embedded",
    prompts: ["Find a hotel in Paris and tell me the price in EUR."],
    agents: { assistant: HOTEL_AGENT },
    steps: [S1.map(([name, args]) => TOOL(name, args))],
    tools: [["search", "open", "convert"]],
  },
};

/** The scenarios that a framework plays: those that need nothing special, or what its own file says that it has. */
export function scenariosOf(framework) {
  return Object.entries(SCENARIOS).filter(([, { needs }]) => needs === undefined || framework[needs] === true);
}

/** What an agent is told to be; the model server knows by this whose turn it is. */
export const instructionsOf = (agent) => `You are the agent ${agent}. Use your tools.`;

/** The agent that a system prompt speaks to. */
export const agentOf = (instructions) => /You are the agent (\w+)\./.exec(instructions)?.[1];
