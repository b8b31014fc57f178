// As much of Vitest as collecting tests and running one of them takes: its own start, and that of each of its runs,
// would take longer than most tests. Assertions and timers are Vitest's own.
globalThis.__vitest_worker__ ??= { config: {}, environment: { name: "node" }, ctx: {} };
const vitest = await import("vitest");

/** What test files import as `vitest`, and what they call for in the end. */
export function collector() {
  let tests = [];
  let group = { path: [], skip: false, before: [], after: [] };

  const add = (name, body, skip = false) =>
    tests.push({ name: [...group.path, name].join(" > "), skip: skip || group.skip, body, hooks: group });
  const inner = (path, skip) => ({
    path: [...group.path, ...path],
    skip: skip || group.skip,
    before: [...group.before],
    after: [...group.after],
  });

  function nest(name, body, skip = false) {
    const outer = group;
    group = inner([name], skip);
    body();
    group = outer;
  }

  /** The tests of a file, with the hooks that were called for outside of files. */
  async function file(load) {
    const outer = group;
    tests = [];
    group = inner([], false);
    await load();
    group = outer;
    return tests;
  }

  const called = (call) =>
    Object.assign((name, body) => call(name, body), {
      each: (rows) => (name, body) => {
        for (const [index, row] of rows.entries()) {
          call(`${name} [${index}]`, () => (Array.isArray(row) ? body(...row) : body(row)));
        }
      },
      skipIf: (skip) => (name, body) => call(name, body, Boolean(skip)),
    });
  const module = {
    ...vitest,
    test: called(add),
    describe: called(nest),
    beforeEach: (hook) => void group.before.push(hook),
    afterEach: (hook) => void group.after.push(hook),
  };
  return { module, file };
}

/** Runs a test with its hooks; rejects with the first thing that any of them throws. */
export async function runTest({ body, hooks }) {
  const errors = [];
  const attempt = async (step) => {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  };
  for (const hook of hooks.before) await attempt(hook);
  if (errors.length === 0) await attempt(body);
  for (const hook of [...hooks.after].reverse()) await attempt(hook);
  if (errors.length > 0) throw errors[0];
}
