// What came of the frameworks, as counts, as a table, and in words where something is wrong.

/** Counts scenarios: each framework plays each of them twice. A framework that could not be run counts once. */
export function countsOf(outcomes) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { rows, skipped, failed } of outcomes) {
    if (skipped !== undefined) counts.skipped += 1;
    if (failed !== undefined) counts.failed += 1;
    for (const { scenarios, error } of rows) {
      if (error !== undefined) counts.failed += 1;
      for (const scenario of scenarios) counts[isRight(scenario) ? "passed" : "failed"] += 1;
    }
  }
  return counts;
}

const READ = ["tool steps", "agent steps", "arguments", "embedded calls", "session", "score on its spans"];

/** The table for a terminal, as lines: a row for each place of the vendor's processor. */
export function tableOf(outcomes) {
  const header = ["framework", "version", "vendor's processor", ...READ, "note"];
  const rows = outcomes.flatMap(({ framework, rows: orders, skipped, failed }) => {
    const head = [framework.title, framework.version];
    const why = skipped === undefined ? failed && "FAILED to install" : `skipped: ${skipped}`;
    if (why !== undefined) return [[...head, "", ...READ.map(() => ""), why]];
    return orders.map((row) => {
      const place = row.order === "before" ? "after ours" : "before ours";
      return [...head, place, ...(readBy(framework, [row]) ?? READ.map(() => "FAILED")), framework.notRecorded];
    });
  });
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
}

/** The table for the documentation, as lines of Markdown: a row for each framework; what was not run is left out. */
export function markdownOf(outcomes) {
  const header = ["framework", "package", ...READ, "not recorded by its instrumentation"];
  const rows = outcomes
    .filter(({ rows: orders }) => orders.length > 0)
    .map(({ framework, rows: orders }) => {
      const read = readBy(framework, orders) ?? READ.map(() => "FAILED");
      return [framework.title, `\`${framework.package}@${framework.version}\``, ...read, framework.notRecorded];
    });
  return [header, header.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
}

/** A word for each of `READ`; undefined where a run gave no report. */
function readBy(framework, orders) {
  if (orders.some(({ error }) => error !== undefined)) return undefined;
  const all = orders.flatMap(({ scenarios }) => scenarios);
  const right = (kind, of = all) => of.length > 0 && of.every((scenario) => isRight(scenario, kind));
  const word = (isOk, good) => (isOk ? good : "WRONG");
  const named = (...ids) => all.filter(({ id }) => ids.includes(id));
  const scored = orders.map(({ order, scenarios }) => scenarios.some(({ scoreOnSpan }) => scoreOnSpan) && order);
  return [
    word(right("steps", named("S1", "S3", "S5", "S6")), "yes"),
    word(right("steps", named("S4")), framework.agentsAreTools ? "as tools" : "yes"),
    word(right("arguments"), framework.bareArguments ? "if several" : "yes"),
    framework.embedded ? word(right("steps", named("S7")), "yes") : "not tried",
    word(right("session"), framework.sessionBy === undefined ? "yes" : `by \`${framework.sessionBy}\``),
    scored.every((order) => order !== false) ? "yes" : (scored.map(placeOf).find(Boolean) ?? "no"),
  ];
}

function placeOf(order) {
  return order && (order === "before" ? "if ours is first" : "if ours is last");
}

function isRight({ error, problems }, kind) {
  if (error !== undefined) return false;
  return problems.every((problem) => kind !== undefined && problem.kind !== kind);
}

/** What is wrong, one paragraph a finding. */
export function findingsOf(outcomes) {
  const lines = [];
  for (const { framework, rows, failed } of outcomes) {
    if (failed !== undefined) lines.push(`${framework.id}: ${failed}`);
    for (const { order, scenarios, error } of rows) {
      const where = `${framework.id}, ours ${order} the vendor's`;
      if (error !== undefined) lines.push(`${where}: ${error}`);
      for (const scenario of scenarios) lines.push(...findings(`${where}, ${scenario.id}`, scenario));
    }
  }
  return lines;
}

function findings(where, { error, problems = [] }) {
  if (error !== undefined) return [`${where}: ${error}`];
  return problems.map(
    ({ what, actual, wanted }) =>
      `${where}: ${what}\n  got  ${JSON.stringify(actual)}\n  want ${JSON.stringify(wanted)}`,
  );
}
