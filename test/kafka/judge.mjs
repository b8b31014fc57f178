// What consumers said, held against what the command says of the same spans in a file.
import { comparable, differences, evaluations, fileRows } from "../collector/answers.mjs";
import { until } from "../support/processes.mjs";
import { lagOf, recordsOf } from "./topics.mjs";

const keyOf = ({ unit_id, metric }) => `${unit_id} ${metric}`;
const answerOf = ({ status, score, label, reason, complete, trace_ids, metadata }) =>
  JSON.stringify([status, score, label, reason, complete, [...trace_ids].sort(), metadata]);

/** The answers of the file that the Collector's other topic makes, by unit and metric, and the records of it. */
export async function fileAnswers(rig) {
  const records = await rig.record();
  return { expected: comparable(await fileRows(rig.folder, "recorded", rig.scorers)), records };
}

/**
 * Waits until every answer of the file is there, all is committed and nothing more comes, but no longer than `seconds`.
 *
 * @returns {Promise<number>} how long that took, in seconds
 */
export async function settled(
  rig,
  expected,
  { seconds = 60, topic = rig.topic, group = rig.group, quietMillis = 3_000 } = {},
) {
  const from = performance.now();
  let complete = from;
  let seen = -1;
  let since = from;
  const rest = async () => {
    const rows = rig.rows(group);
    if (rows.length !== seen) since = performance.now();
    seen = rows.length;
    const found = new Set(rows.map(keyOf));
    if ([...expected.keys()].some((key) => !found.has(key))) complete = performance.now();
    if (performance.now() - Math.max(since, complete) < quietMillis) return false;
    return (await lags(rig, topic, group)).every((lag) => lag === 0);
  };
  await until("everything is scored and committed", rest, seconds).catch(() => {});
  return (complete - from) / 1_000;
}

/** Records not committed of the spans and of the trajectories. */
async function lags({ broker }, topic, group) {
  return Promise.all([lagOf(broker, group, topic), lagOf(broker, `${group}-sessions`, `${topic}.sessions`)]);
}

/**
 * The verdict on one run. With `more`, an evaluation that comes again may know more than before.
 *
 * @returns {Promise<{ counts: object, checks: [what: string, failures: string[]][] }>}
 */
export async function verdict(rig, expected, { topic = rig.topic, group = rig.group, backend, dead, more } = {}) {
  const rows = rig.rows(group);
  const { last, several } = evaluations(rows);
  const again = repeated(rows);
  const live = comparable(last);
  const wrong = differences(expected, live);
  const lost = [...expected.keys()].filter((key) => !live.has(key));
  const early = last.filter(({ incomplete_reasons: reasons }) => reasons.includes("shutdown"));
  const left = await lags(rig, topic, group);
  const letters = await recordsOf(rig.broker, `${topic}.dead-letter`);
  const undelivered =
    backend === undefined ? [] : last.filter((row) => expected.has(keyOf(row)) && !backend.ids.has(row.evaluation_id));
  const counts = {
    answers: expected.size,
    sessions: [...expected.keys()].filter((key) => key.startsWith("session:")).length,
    again: again.length,
    revised: last.filter(({ revision }) => revision > 0).length,
    different: again.filter(({ equal }) => !equal).length,
    lost: lost.length,
  };
  const checks = [
    [`no evaluation is lost, and ${expected.size} answers are those of the file`, wrong],
    ["no unit has two evaluations", several],
    [
      "an evaluation that comes again says the same",
      more ? [] : again.filter(({ equal }) => !equal).map(({ key }) => key),
    ],
    ["nothing is scored early", early.map(({ unit_id }) => unit_id)],
    ["all is committed", left.every((lag) => lag === 0) ? [] : [`${left.join(" and ")} records are not`]],
  ];
  if (dead !== undefined)
    checks.push([`${dead} records are dead letters`, letters.length === dead ? [] : [`${letters.length} are`]]);
  if (backend !== undefined)
    checks.push(["every evaluation has reached the backend", undelivered.map((row) => keyOf(row))]);
  return { counts, checks, letters };
}

/** Rows that say once more what has been said: the same revision of the same evaluation. */
function repeated(rows) {
  const first = new Map();
  const again = [];
  for (const row of rows) {
    const key = `${row.evaluation_id} ${row.revision}`;
    const said = first.get(key);
    if (said === undefined) first.set(key, answerOf(row));
    else again.push({ key: keyOf(row), equal: said === answerOf(row) });
  }
  return again;
}
