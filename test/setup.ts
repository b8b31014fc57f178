import { afterEach, beforeEach } from "vitest";

/**
 * Library code never writes to the console: it logs through the OpenTelemetry diagnostics API. Any console call made
 * while a test runs fails that test. A test that needs the console spies on it itself.
 */
const methods = ["log", "info", "warn", "error", "debug", "trace"] as const;
const originals = { ...console };
const calls: unknown[] = [];

beforeEach(() => {
  for (const method of methods) console[method] = (...args: unknown[]) => void calls.push([method, args]);
});

afterEach(() => {
  for (const method of methods) console[method] = originals[method];
  const seen = calls.splice(0);
  if (seen.length > 0) throw new Error(`console was called in a test: ${JSON.stringify(seen).slice(0, 2_000)}`);
});
