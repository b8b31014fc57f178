// `npm run mutation`: changes the sources of one folder (MUTATION_FOLDER, by default `align`) in many small ways, and
// names the changes that no test notices. Takes an hour or so, hence no part of `npm run verify`; what it found is in
// docs/reliability.md.
const folder = process.env.MUTATION_FOLDER ?? "align";

export default {
  mutate: [`src/${folder}/**/*.ts`],
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
