// Compares what a scorer was handed with what really happened. Used live, and on the recorded spans of the same runs.
import { isDeepStrictEqual } from "node:util";

/**
 * @typedef {{ kind: "steps" | "arguments" | "session", what: string, actual: unknown, wanted: unknown }} Problem
 */

/**
 * What a right reading of one scenario is, for one framework.
 *
 * @param {object} scenario of scenarios.mjs
 * @param {object} framework of the framework's own file
 */
export function expectedOf(id, scenario, framework) {
  return { ...scenario, bareArguments: framework.bareArguments === true, ...framework.expect?.[id] };
}

/**
 * Compares trajectories, in order of their traces' start.
 *
 * @param {object} expected of `expectedOf`
 * @param {readonly object[]} runs occurrences of unit `trajectory`
 * @returns {Problem[]}
 */
export function compareRuns(expected, runs) {
  const problems = [];
  const check = checker(problems);
  const steps = runs.map((run) => run.steps.map(shown));
  check(
    "steps",
    "steps",
    steps,
    expected.steps.map((list) => list.map(shown)),
  );
  check(
    "steps",
    "tools",
    runs.map(({ tools }) => tools.map(({ name }) => name)),
    expected.tools,
  );
  check(
    "steps",
    "unread",
    runs.flatMap(({ unread }) => unread ?? []),
    expected.unread ?? [],
  );
  compareArguments(expected, runs, check);
  return problems;
}

/** Compares flags that only a live run has. @returns {Problem[]} */
export function compareFlags(expected, runs) {
  const problems = [];
  const check = checker(problems);
  for (const { incomplete } of runs) check("steps", "incomplete", incomplete ?? [], expected.incomplete ?? []);
  return problems;
}

/**
 * Compares the session that the runs belong to.
 *
 * @param {string | undefined} id the session that the scenario plays in
 * @param {readonly object[]} sessions occurrences of unit `session`
 * @returns {Problem[]}
 */
export function compareSession(expected, id, runs, sessions) {
  const problems = [];
  const check = checker(problems);
  check(
    "session",
    "session id of each trace",
    runs.map(({ session_id }) => session_id),
    runs.map(() => id),
  );
  const steps = sessions.map((session) => session.steps.map(shown));
  check("session", "steps of the session", steps, id === undefined ? [] : [expected.steps.flat().map(shown)]);
  return problems;
}

function checker(problems) {
  return (kind, what, actual, wanted) => {
    if (isDeepStrictEqual(actual, wanted)) return;
    problems.push({ kind, what, actual: actual ?? null, wanted: wanted ?? null });
  };
}

/** Arguments of TOOL steps: as called. A bare value, where the instrumentation drops the name, must never be compared. */
function compareArguments(expected, runs, check) {
  const wanted = expected.steps.flat();
  for (const [index, step] of runs.flatMap(({ steps }) => steps).entries()) {
    const want = wanted[index];
    if (want?.kind !== "TOOL" || want.args === undefined) continue;
    const bare = expected.bareArguments && Object.keys(want.args).length === 1;
    if (bare) check("arguments", `${step.name} (bare)`, step.args_status, "unparsed");
    else check("arguments", step.name, step.args, want.args);
  }
}

/** A step in short. */
export function shown({ kind, name, failed }) {
  return `${kind} ${name}${failed ? " (failed)" : ""}`;
}
