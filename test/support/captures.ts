import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** Steps as a capture expects them. */
export interface ExpectedStep {
  readonly kind: "TOOL" | "AGENT";
  readonly name: string;
  readonly failed?: true;
}

/** What one trace, or the session of all traces, must give. */
export interface ExpectedTrajectory {
  readonly steps: readonly ExpectedStep[];
  readonly tools: readonly string[];
  readonly session_id: string | null;
  readonly source: "span" | "completion" | "none";
  readonly reason?: string;
}

/** One captured file. */
export interface Capture {
  readonly file: string;
  readonly convention: string;
  readonly evidence: string;
  readonly note?: string;
  /** What the agents really did. */
  readonly truth: readonly { readonly kind: "agent" | "tool"; readonly name: string; readonly args?: unknown }[];
  readonly expect: Partial<ExpectedTrajectory> & {
    readonly traces?: readonly (ExpectedTrajectory & { readonly trace_id: string })[];
  };
}

const FOLDER = new URL("../fixtures/captures/", import.meta.url);

/** Every capture of the index. */
export function captures(): readonly Capture[] {
  return JSON.parse(readFileSync(new URL("index.json", FOLDER), "utf8"));
}

/** Path of the gzipped file. */
export function capturePath(capture: Capture): string {
  return fileURLToPath(new URL(`${capture.file}.gz`, FOLDER));
}

/** The file's text: one OTLP/JSON request a line. */
export function captureText(capture: Capture): string {
  return gunzipSync(readFileSync(capturePath(capture))).toString("utf8");
}
