import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  resolve: {
    // In the built package `#files` is resolved by package.json `imports`; tests run the sources.
    alias: { "#files": fileURLToPath(new URL("./src/files/index.ts", import.meta.url)) },
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/compat/**", "**/node_modules/**"],
    setupFiles: ["./test/setup.ts"],
    testTimeout: 30_000,
    // By default one core is left out, which of two is half.
    maxWorkers: "100%",
    coverage: { provider: "v8", include: ["src/**"], reporter: ["text-summary", "json-summary"] },
  },
});

export default config;
