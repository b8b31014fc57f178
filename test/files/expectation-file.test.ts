import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createResolver } from "../../src/expectation/resolve.ts";
import { type FileProblem, openExpectationFile } from "../../src/files/index.ts";
import { openExpectationFile as openUnsupported } from "../../src/files/unsupported.ts";
import { ManualTimers } from "../expectation/manual-timers.ts";
import { requestFor } from "../expectation/requests.ts";

const POLL = 5000;
const LIMIT = 700;

let folder: string;
let path: string;
let problems: FileProblem[];
let timers: ManualTimers;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "otel-trajectory-"));
  path = join(folder, "expectations.yaml");
  problems = [];
  timers = new ManualTimers();
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const yaml = (step: string): string => `expectations:\n  - expected_steps: [${step}]\n`;

function open() {
  const onProblem = (problem: FileProblem): void => void problems.push(problem);
  return openExpectationFile(path, { pollMillis: POLL, timeoutMillis: LIMIT, onProblem, timers });
}

/** Fires the poll timer and lets the look that it starts come to its end. */
async function poll(file: ReturnType<typeof open>): Promise<void> {
  timers.fire(POLL);
  await file.refresh();
  // The look's own continuation sets the next timer.
  await Promise.resolve();
  await Promise.resolve();
}

async function loaded(file: ReturnType<typeof open>): Promise<void> {
  await file.loading();
  await Promise.resolve();
}

const step = (file: ReturnType<typeof open>): unknown => {
  const found = file.find(requestFor());
  if (found instanceof Promise) return "later";
  const column = found.expected_steps;
  if (column?.state === "resolved") return (column.expectation.expected_steps as readonly unknown[] | undefined)?.[0];
  return column?.state === "failed" ? column.reason : undefined;
};

describe("first load", () => {
  test("units wait for it and are then answered at once", async () => {
    await writeFile(path, yaml("a"));
    const file = open();
    expect([file.answersAtOnce(), step(file)]).toEqual([false, "later"]);
    await expect(file.find(requestFor())).resolves.toMatchObject({ expected_steps: { state: "resolved" } });
    await loaded(file);
    expect([file.answersAtOnce(), file.loading(), step(file), problems]).toEqual([true, undefined, "a", []]);
    file.close();
  });

  test("one that takes longer than its limit is expectation_timeout until it ends", async () => {
    await writeFile(path, yaml("a"));
    const file = open();
    timers.fire(LIMIT);
    await file.loading();
    expect(step(file)).toBe("expectation_timeout");
    await file.refresh();
    expect(step(file)).toBe("a");
    file.close();
  });

  test("whoever asks is ready once a file was good, and stays so", async () => {
    const file = open();
    const resolver = createResolver({ sources: [file] });
    const said = [resolver.notReady()];
    const look = async (): Promise<void> => {
      await poll(file);
      said.push(resolver.notReady());
    };
    await loaded(file);
    said.push(resolver.notReady());
    await writeFile(path, yaml("a"));
    await look();
    await writeFile(path, "expectations: [");
    await look();
    const [loading, failed] = ["expectations are being loaded", "expectations could not be loaded"];
    expect(said).toEqual([loading, failed, undefined, undefined]);
    file.close();
  });

  test("a missing file is one error, expectation_error for every unit, and recovers", async () => {
    const file = open();
    await loaded(file);
    expect(step(file)).toBe("expectation_error");
    await poll(file);
    await poll(file);
    expect(problems).toEqual([{ level: "error", message: expect.stringContaining(`${path}: cannot be read: ENOENT`) }]);
    await writeFile(path, yaml("a"));
    await poll(file);
    expect([step(file), problems.length]).toEqual(["a", 1]);
    file.close();
  });

  test("a broken file is one error per edit, and recovers", async () => {
    await writeFile(path, "expectations: [");
    const file = open();
    await loaded(file);
    await poll(file);
    expect([step(file), problems.length]).toEqual(["expectation_error", 1]);
    await writeFile(path, "expectations:\n  - expected_steps: [a, [b, 3]]\n");
    await poll(file);
    await poll(file);
    expect(problems.map(({ level, message }) => [level, message])).toEqual([
      ["error", expect.stringContaining(`${path}: `)],
      [
        "error",
        `${path}: expectations[0].expected_steps[1][1]: must be a name (a group holds names only, one level), got 3`,
      ],
    ]);
    await writeFile(path, yaml("a"));
    await poll(file);
    expect(step(file)).toBe("a");
    file.close();
  });
});

/**
 * What Kubernetes does to the folder of a ConfigMap: the files are links into `..data`, which is itself a link to a folder
 * of one version; an update makes a new folder, a new link, renames that over the old one, and removes the old folder.
 */
async function publish(version: number, content: string): Promise<void> {
  const name = `..2026_11_30_00_00_0${version}.1`;
  await mkdir(join(folder, name));
  const file = join(folder, name, "expectations.yaml");
  await writeFile(file, content);
  // The same moment and length: nothing but the file's identity tells one version from the other.
  await utimes(file, 1_780_000_000, 1_780_000_000);
  await symlink(name, join(folder, "..data_tmp"));
  await rename(join(folder, "..data_tmp"), join(folder, "..data"));
  if (version === 1) await symlink("..data/expectations.yaml", path);
  else await rm(join(folder, `..2026_11_30_00_00_0${version - 1}.1`), { recursive: true });
}

test("an update of a Kubernetes ConfigMap is in use after the next look, and a broken one keeps the last good", async () => {
  await publish(1, yaml("a"));
  const file = open();
  await loaded(file);
  expect(step(file)).toBe("a");
  await publish(2, yaml("b"));
  await poll(file);
  expect([step(file), problems]).toEqual(["b", []]);
  await publish(3, "expectations: [");
  await poll(file);
  expect([step(file), problems.map(({ level }) => level)]).toEqual(["b", ["warning"]]);
  await publish(4, yaml("c"));
  await poll(file);
  expect([step(file), problems]).toEqual(["c", [expect.anything()]]);
  file.close();
});

describe("hot reload", () => {
  test("an edit is in use after the next look", async () => {
    await writeFile(path, yaml("a"));
    const file = open();
    await loaded(file);
    await writeFile(path, yaml("bb"));
    expect(step(file)).toBe("a");
    await poll(file);
    expect(step(file)).toBe("bb");
    file.close();
  });

  test("a broken edit keeps the last good one and warns once; so does a file that is gone", async () => {
    await writeFile(path, yaml("a"));
    const file = open();
    await loaded(file);
    await writeFile(path, "expectations: nonsense");
    await poll(file);
    await poll(file);
    expect(step(file)).toBe("a");
    await rm(path);
    await poll(file);
    await poll(file);
    expect(step(file)).toBe("a");
    expect(problems.map(({ level }) => level)).toEqual(["warning", "warning"]);
    expect(problems[0]?.message).toMatch(/expectations: must be a list.*the last good expectations stay in use$/);
    await writeFile(path, yaml("c"));
    await poll(file);
    expect([step(file), problems.length]).toEqual(["c", 2]);
    file.close();
  });

  test("one look at a time, and none after close", async () => {
    await writeFile(path, yaml("a"));
    const file = open();
    await loaded(file);
    expect(timers.waiting).toEqual([POLL]);
    timers.fire(POLL);
    expect(timers.waiting).toEqual([]);
    await file.refresh();
    await Promise.resolve();
    await Promise.resolve();
    expect(timers.waiting).toEqual([POLL]);
    file.close();
    file.close();
    expect([timers.waiting, step(file)]).toEqual([[], "a"]);
  });

  test("whoever is told may throw", async () => {
    const onProblem = (): never => {
      throw new Error("boom");
    };
    const file = openExpectationFile(path, { timers, onProblem });
    await loaded(file);
    expect(step(file)).toBe("expectation_error");
    file.close();
  });
});

describe("options", () => {
  const rows: [string, string, object, string][] = [
    ["an empty path", "", {}, "path: expected the path of a file"],
    ["no interval", "x", { pollMillis: 0 }, "pollMillis: expected a number of at least 1, got 0"],
    ["an interval that is text", "x", { pollMillis: "5" }, 'pollMillis: expected a number of at least 1, got "5"'],
    ["an endless limit", "x", { timeoutMillis: Number.POSITIVE_INFINITY }, "timeoutMillis: expected a number"],
  ];
  test.each(rows)("%s throws", (_name, file, options, message) => {
    expect(() => openExpectationFile(file, options)).toThrow(message);
  });
});

test("without a file system every unit is expectation_error, said once", () => {
  const file = openUnsupported("e.yaml", { onProblem: (problem) => problems.push(problem) });
  expect([file.answersAtOnce(), file.loading(), step(file)]).toEqual([true, undefined, "expectation_error"]);
  expect(problems).toEqual([
    { level: "error", message: expect.stringContaining("e.yaml: expectation files need Node.js") },
  ]);
});

test("both sides of #files have the same names and types", async () => {
  const node = await import("../../src/files/index.ts");
  const other = await import("../../src/files/unsupported.ts");
  // The assignments are the check of the types.
  const asNode: typeof node = other;
  const asOther: typeof other = node;
  expect(Object.keys(asNode).sort()).toEqual(Object.keys(asOther).sort());
});
