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

const HEADER = [
  "framework",
  "version",
  "vendor's processor",
  "steps",
  "arguments",
  "session",
  "score on its spans",
  "note",
];

/** The table as lines of text, padded; or of Markdown. */
export function tableOf(outcomes, { markdown = false } = {}) {
  const rows = outcomes.flatMap(rowsOf);
  if (markdown) return [HEADER, HEADER.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  const all = [HEADER, ...rows];
  const widths = HEADER.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
}

function rowsOf({ framework, rows, skipped, failed }) {
  const head = [framework.title, framework.version];
  if (skipped !== undefined) return [[...head, "", "", "", "", "", `skipped: ${skipped}`]];
  if (failed !== undefined) return [[...head, "", "", "", "", "", "FAILED to install"]];
  return rows.map(({ order, scenarios, error }) => {
    const place = `${order === "before" ? "after ours" : "before ours"}`;
    if (error !== undefined) return [...head, place, "", "", "", "", "FAILED to run"];
    const verdict = (kind, good) => (scenarios.every((scenario) => isRight(scenario, kind)) ? good : "WRONG");
    const scored = scenarios.some(({ scoreOnSpan }) => scoreOnSpan === true);
    return [
      ...head,
      place,
      verdict("steps", "ok"),
      verdict("arguments", framework.bareArguments ? "ok, but single ones" : "ok"),
      verdict("session", framework.sessionBy === undefined ? "ok" : `ok, by ${framework.sessionBy}`),
      scored ? "yes" : "no",
      framework.notRecorded === "" ? "" : `not recorded: ${framework.notRecorded}`,
    ];
  });
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
