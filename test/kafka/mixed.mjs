// Agents of all kinds through the Collector into three partitions: one group of three consumers reads protobuf as it comes,
// another reads all the JSON when it is there.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { capturedRequests, expectationsFor, SCORERS } from "../collector/answers.mjs";
import { fileAnswers, settled, verdict } from "./judge.mjs";
import { Rig } from "./rig.mjs";

/** Short, and long enough for a busy machine. */
const ENGINE = { idleMillis: 4_000, lateWindowMillis: 3_000, sessionIdleMillis: 8_000 };
const TURNS = 3;

const script = (name) => fileURLToPath(new URL(`../collector/${name}`, import.meta.url));

async function agents(url, interpreter, sessions) {
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_MAX_QUEUE_SIZE: "100000" };
  const play = (file, name) =>
    promisify(execFile)(file, [script(name), String(sessions), String(TURNS)], { env, timeout: 120_000 });
  await Promise.all([play(process.execPath, "agents.mjs"), interpreter && play(interpreter, "agents.py")]);
}

async function send(url, requests) {
  for (const { line } of requests) {
    const headers = { "content-type": "application/json" };
    const { status } = await fetch(`${url}/v1/traces`, { method: "POST", headers, body: line });
    if (status !== 200) throw new Error(`the Collector answers ${status}`);
  }
}

/**
 * Prints what it finds.
 *
 * @param {{ broker: object, binary: string, interpreter?: string, sessions: number }} options
 * @returns {Promise<[what: string, failures: string[]][]>}
 */
export async function mixed({ broker, binary, interpreter, sessions }) {
  const requests = capturedRequests();
  const rig = new Rig({ broker, binary, expectations: expectationsFor(requests), scorers: SCORERS, engine: ENGINE });
  try {
    await rig.topics();
    const url = await rig.collect({ record: true });
    const live = await rig.consumers(3, { encoding: "otlp_proto" });
    await Promise.all([send(url, requests), agents(url, interpreter, sessions)]);
    await rig.flush();
    const { expected, records } = await fileAnswers(rig);
    const asJson = { topic: rig.recorded, group: `${rig.group}-json` };
    const later = await rig.consumers(3, { ...asJson, encoding: "otlp_json" });
    const found = [
      ...(await checked(rig, "otlp_proto, as it comes", {}, live, expected, records)),
      ...(await checked(rig, "otlp_json, a backlog", asJson, later, expected, records)),
      ["there was enough to compare", expected.size > 500 ? [] : [`only ${expected.size} answers`]],
    ];
    const codes = await rig.end();
    return [...found, ["consumers end well", codes.filter((code) => code !== 0).map(String)]];
  } finally {
    await rig.remove();
  }
}

async function checked(rig, name, where, consumers, expected, records) {
  await settled(rig, expected, where);
  const { counts, checks } = await verdict(rig, expected, where);
  const shares = consumers.map((consumer) => new Set(consumer.rows().flatMap(({ trace_ids }) => trace_ids)).size);
  const partitionOf = new Map(records.map(({ key, partition }) => [key.toString("utf8"), partition]));
  const sessions = rig.rows(where.group).filter(({ unit_id }) => unit_id.startsWith("session:"));
  const spread = sessions.filter(({ trace_ids: ids }) => new Set(ids.map((id) => partitionOf.get(id))).size > 1).length;
  console.log(
    `\n${name}: ${counts.answers} answers, ${counts.sessions} about sessions, ${spread} of which lie in several partitions; traces by consumer ${shares.join(", ")}`,
  );
  return [
    ...checks,
    ["all three consumers take part", shares.filter((share) => share === 0).map(() => "one got nothing")],
    ["sessions lie in several partitions", spread > 5 ? [] : [`only ${spread} do`]],
  ].map(([what, failures]) => [`${name}: ${what}`, failures]);
}
