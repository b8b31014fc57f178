import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

/**
 * Tests of what a process has once, so each file has one of its own: global providers, diagnostics, mocked modules,
 * servers, the time that others take. All other files share theirs, and load the sources once.
 */
const ALONE = ["test/{deploy,faults,kafka-consumer,otel,serve,vitest}/**/*.test.ts", "test/cli/tables.test.ts"];

/** Tests of the built package. */
const BUILT = ["test/{package,docs}.test.ts", "test/examples/**/*.test.ts"];

const config: ViteUserConfig = defineConfig({
  resolve: {
    // In the built package `#files` is resolved by package.json `imports`; tests run the sources.
    alias: { "#files": fileURLToPath(new URL("./src/files/index.ts", import.meta.url)) },
  },
  test: {
    exclude: ["test/compat/**", "**/node_modules/**"],
    setupFiles: ["./test/setup.ts"],
    testTimeout: 30_000,
    // By default one core is left out, which of two is half.
    maxWorkers: "100%",
    coverage: { provider: "v8", include: ["src/**"], reporter: ["text-summary", "json-summary"] },
    projects: [
      // What a project says is added to what is said above.
      {
        extends: true,
        test: { name: "shared", isolate: false, include: ["test/**/*.test.ts"], exclude: [...ALONE, ...BUILT] },
      },
      { extends: true, test: { name: "alone", include: ALONE } },
      { extends: true, test: { name: "built", include: BUILT } },
    ],
  },
});

export default config;
