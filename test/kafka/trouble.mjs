// Consumers are killed under load, the broker goes away and comes back, consumers come and go, records are broken: what
// becomes of the evaluations, counted.

import { load, TOOLS, TRACE_MILLIS } from "../support/load.mjs";
import { sleep, until } from "../support/processes.mjs";
import { fileAnswers, settled, verdict } from "./judge.mjs";
import { late } from "./late.mjs";
import { poison, unlike } from "./poison.mjs";
import { startBackend } from "./results.mjs";
import { Rig } from "./rig.mjs";
import { haveAll } from "./topics.mjs";

const TURNS = 3;
const SESSION = Array.from({ length: TURNS }, () => TOOLS).flat();
const EXPECTATIONS = {
  expectations: [
    { id: "trace", match: { agent: "load_agent" }, status: "approved", expected_steps: TOOLS },
    { id: "session", match: { agent: "load_agent" }, unit: "session", status: "approved", expected_steps: SESSION },
  ],
};
const SCORERS = { step_accuracy: {}, order_aware: { unit: "session" } };
/** Longer than the trouble, so that nothing is taken for finished that is only under way. */
const ENGINE = { idleMillis: 4_000, lateWindowMillis: 4_000, sessionIdleMillis: 10_000 };
/** Longer than spans wait while the broker is away, in the Collector, which then tries again within 5 s. */
const PATIENT = { idleMillis: 10_000, lateWindowMillis: 8_000, sessionIdleMillis: 16_000 };
/** Results are acknowledged so late that a consumer is killed with some under way. */
const BACKEND_MILLIS = 300;
/** A consumer that was killed is given up after this. */
const MEMBER_TIMEOUT_MILLIS = 2_000;

/** One consumer after another is killed and started again at once. */
const kills =
  (times) =>
  async ({ consumers }) => {
    for (let index = 0; index < times; index += 1) {
      await sleep(1_000);
      const consumer = consumers[index % consumers.length];
      await consumer.end("SIGKILL");
      await consumer.start();
    }
  };

const brokerAway =
  (signal) =>
  async ({ broker }) => {
    await sleep(5_000);
    await broker.end(signal);
    await broker.start();
    await sleep(3_000);
  };

/** Every second a consumer leaves, or comes back. */
const storm =
  (seconds) =>
  async ({ consumers }) => {
    for (let second = 0; second < seconds; second += 1) {
      await sleep(1_000);
      const consumer = consumers[Math.floor(second / 2) % consumers.length];
      await (second % 2 === 0 ? consumer.end() : consumer.start());
    }
  };

const broken = async ({ broker, rig }) => {
  await sleep(3_000);
  await poison(broker, rig.topic);
  await sleep(3_000);
};

const nothing = () => sleep(6_000);

const SCENARIOS = [
  { name: "nothing happens", trouble: nothing },
  { name: "one stage a program", trouble: nothing, stages: ["traces", "traces", "sessions"] },
  { name: "kill -9 of a consumer, 20 times", trouble: kills(20), backend: true },
  { name: "kill -9 of a consumer, 2 times", trouble: kills(2), backend: true, short: true },
  { name: "the broker ends and comes back", trouble: brokerAway("SIGTERM"), engine: PATIENT },
  { name: "kill -9 of the broker", trouble: brokerAway("SIGKILL"), engine: PATIENT },
  { name: "every second a consumer leaves or comes, for 20 s", trouble: storm(20) },
  {
    name: "spans come late, after a kill -9",
    trouble: late,
    engine: { ...ENGINE, idleMillis: 2_000, lateWindowMillis: 15_000 },
    idle: true,
    more: true,
  },
  { name: "broken records", trouble: broken, dead: true, short: true },
];

const COLUMNS = ["traces", "answers", "sessions", "again", "revised", "different", "lost"];

/**
 * Plays the scenarios; prints a table in Markdown.
 *
 * @param {{ broker: object, binary: string, short: boolean, perSecond: number, wanted: string }} options `wanted`: a part
 *   of the names
 * @returns {Promise<[what: string, failures: string[]][]>}
 */
export async function troubles({ broker, binary, short, perSecond, wanted }) {
  console.log(`\n${perSecond} traces/s of ${TRACE_MILLIS / 1_000} s and ${TOOLS.length + 1} spans:\n`);
  console.log(`| what happens | ${COLUMNS.join(" | ")} | caught up after |\n|${" --- |".repeat(COLUMNS.length + 2)}`);
  const checks = [];
  for (const scenario of SCENARIOS) {
    const chosen = short ? scenario.short : !scenario.name.includes("2 times");
    if (chosen && scenario.name.includes(wanted))
      checks.push(...(await played(scenario, { broker, binary, perSecond })));
  }
  return checks;
}

async function played(
  { name, trouble, stages = ["both", "both", "both"], engine = ENGINE, idle, more, backend: delivered, dead },
  { broker, binary, perSecond },
) {
  const consume = { memberTimeoutMillis: MEMBER_TIMEOUT_MILLIS };
  const rig = new Rig({ broker, binary, expectations: EXPECTATIONS, scorers: SCORERS, engine, consume });
  const backend = delivered && (await startBackend(BACKEND_MILLIS));
  try {
    await rig.topics();
    const url = await rig.collect({ record: true });
    const consumers = await Promise.all(stages.map((stage) => rig.consumer({ stage, backend: backend?.url })));
    let going = true;
    const sessionOf = (index) => `session-${Math.floor(index / TURNS)}`;
    const loaded = idle ? [] : load(url, { perSecond, going: () => going, sessionOf });
    await trouble({ rig, url, broker, consumers });
    going = false;
    const traces = await loaded;
    const ids = traces.map(({ id }) => id);
    // What the Collector tries again is lost when it ends.
    const arrived = () => haveAll(broker, [rig.topic, rig.recorded], ids, TOOLS.length + 1);
    const missing = await until("all spans are in both topics", arrived, 45).then(
      () => [],
      ({ message }) => [message],
    );
    await rig.flush();
    const { expected } = await fileAnswers(rig);
    const seconds = await settled(rig, expected, { seconds: 90 });
    const { counts, checks, letters } = await verdict(rig, expected, { backend, dead: dead ? undefined : 0, more });
    const cells = COLUMNS.map((column) => ({ ...counts, traces: traces.length })[column]);
    console.log(`| ${[name, ...cells, `${seconds.toFixed(0)} s`].join(" | ")} |`);
    const codes = (await rig.end()).filter((code) => code !== 0);
    const found = [
      ...checks,
      ["all spans are in the topic", missing],
      ["consumers end well", codes.map(String)],
      ...(dead ? [["broken records are dead letters as they were, and say why", unlike(letters)]] : []),
    ];
    return found.map(([what, failures]) => [
      `${name}: ${what}`,
      failures.length === 0 ? [] : [...failures.slice(0, 5), `${failures.length} in all`, ...rig.warnings()],
    ]);
  } finally {
    backend?.close();
    await rig.remove();
  }
}
