// `npm run verify:kafka`: a real broker, a Collector that writes JavaScript, Python and captured agents into it, and real
// consumers. Asserts that the answers are those of the file; then kills consumers under load, has the broker and
// consumers go and come, breaks records, and prints what becomes of the evaluations. --short: less of it, in two minutes.
// KAFKA_SCENARIOS picks scenarios by a part of their name, KAFKA_TRACES_PER_SECOND sets the load (40).
import { parseArgs } from "node:util";
import { ensureBuilt } from "../../scripts/support/project.mjs";
import { collector } from "../collector/build.mjs";
import { python } from "../collector/python.mjs";
import { check, finish, skip } from "../support/checks.mjs";
import { kafka, startBroker } from "./broker.mjs";
import { mixed } from "./mixed.mjs";
import { troubles } from "./trouble.mjs";

const { values: options } = parseArgs({ options: { short: { type: "boolean", default: false } } });
const { short } = options;
const wanted = process.env.KAFKA_SCENARIOS ?? "";
const perSecond = Number(process.env.KAFKA_TRACES_PER_SECOND ?? 40);

const said = ([what, failures]) => check(what, failures);

const jars = await kafka();
const built = await collector("kafka");
if (jars.skipped !== undefined) skip("Kafka", jars.skipped);
else if (built.skipped !== undefined) skip("Kafka behind the Collector", built.skipped);
else {
  await ensureBuilt();
  const interpreter = await python();
  if (interpreter.skipped !== undefined) skip("Python agents", interpreter.skipped);
  const broker = await startBroker(jars.classpath);
  const given = { broker, binary: built.binary, short, perSecond, wanted };
  const sessions = short ? 12 : 40;
  try {
    if ("agents of all kinds".includes(wanted))
      (await mixed({ ...given, sessions, interpreter: interpreter.binary })).forEach(said);
    (await troubles(given)).forEach(said);
  } finally {
    await broker.remove();
  }
}
finish();
