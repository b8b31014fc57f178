import type { ViteUserConfig } from "vitest/config";
import config from "../../vitest.config.ts";

// Only the tests that speak of the folder whose sources are changed: the others are slower and would see little more.
const folder = (process.env.MUTATION_FOLDER ?? "align").split("/")[0];

// Each test runs once for each of thousands of changes.
process.env.PROPERTY_SCALE ??= "0.1";

const only: ViteUserConfig = { ...config, test: { ...config.test, include: [`test/${folder}/**/*.test.ts`] } };

export default only;
