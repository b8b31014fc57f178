// `npm run mutation`: changes the sources of one folder (MUTATION_FOLDER, by default `align`) in many small ways, and
// names the changes that no test notices. Takes an hour or so, hence no part of `npm run verify`; what it found is in
// docs/reliability.md.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

const folder = process.env.MUTATION_FOLDER ?? "align";
/** One block of lines in so many is changed, chosen by hash: the same ones each time. */
const oneIn = Number(process.env.MUTATION_ONE_IN ?? 1);
const BLOCK_LINES = 8;

/** What is to be changed: the whole folder, or a sample of all its files. */
function chosen() {
  if (oneIn === 1) return [`src/${folder}/**/*.ts`];
  const source = new URL(`../../src/${folder}/`, import.meta.url);
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.sort().flatMap((name) => {
    const file = `src/${folder}/${name}`;
    const lines = readFileSync(new URL(name, source), "utf8").split("\n").length;
    const blocks = Array.from({ length: Math.ceil(lines / BLOCK_LINES) }, (_, block) => block * BLOCK_LINES + 1);
    return blocks
      .filter((first) => createHash("sha256").update(`${file}:${first}`).digest().readUInt32BE() % oneIn === 0)
      .map((first) => `${file}:${first}-${first + BLOCK_LINES - 1}`);
  });
}

export default {
  mutate: chosen(),
  testRunner: "vitest",
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  plugins: ["@stryker-mutator/vitest-runner"],
  // Stryker would rewrite paths in it through an API that TypeScript 7 does not have; there are none to rewrite.
  tsconfigFile: "none",
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  timeoutMS: 3_000,
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 2),
  reporters: ["progress-append-only", "clear-text"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: ".tmp/stryker",
  ignorePatterns: [
    "bench",
    "dist",
    "docs",
    "examples",
    "test/compat",
    "test/fixtures/captures",
    "test/fixtures/frameworks",
  ],
};
