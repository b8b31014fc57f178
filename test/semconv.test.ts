import * as published from "@opentelemetry/semantic-conventions/incubating";
import { describe, expect, test } from "vitest";
import * as ours from "../src/otel/semconv.ts";

/** The names that we write under somebody else's namespace must be theirs to the letter. */
const known = new Set<unknown>(Object.values(published));
const rows = Object.entries<string>(ours).filter(([, name]) => !name.startsWith("trajectory."));

describe("names that we write outside our own namespace", () => {
  test("were found", () => expect(rows.length).toBeGreaterThanOrEqual(10));

  test.each(rows)("%s = %s is published by the semantic conventions", (_constant, name) => {
    expect(known).toContain(name);
  });
});
