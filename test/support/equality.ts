import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CommandFolder, rowsOf } from "../cli/command.ts";
import { captures, captureText } from "./captures.ts";

/** Every recording that has its ground truth beside it, and the requests in them. */
const CAPTURES = captures();
export const REQUESTS: readonly unknown[] = CAPTURES.flatMap((capture) => rowsOf(captureText(capture)));

/** What every trace is held to: what its agents did, without the first of it, and with something that none did. */
export const EXPECTED: { readonly expectations: readonly object[] } = {
  expectations: CAPTURES.flatMap((capture) => {
    const names = capture.truth.map((act) => act.name).slice(1);
    const ids = new Set(captureText(capture).match(/(?<="traceId":\s?")[0-9a-f]{32}(?=")/gi));
    return [...ids].map((id) => ({
      id: capture.file,
      status: "approved",
      match: { trace_id: id.toLowerCase() },
      expected_steps: [...names, "no_such_step"],
      expected_tools: ["no_such_tool", ...names],
    }));
  }),
};

/** A row of whatever scores: the few fields that are compared by. */
export interface Comparable {
  readonly unit_id: string;
  readonly metric: string;
  readonly status: string;
  readonly score?: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What a row of the file and one of a service have in common. Live, results that say nothing are only counted. */
export function comparable(rows: readonly Comparable[]): readonly unknown[] {
  return rows
    .filter((row) => !["no_expectation", "kinds_missing"].includes(String((row as { reason?: string }).reason)))
    .map((row) => {
      const { unit_id, metric, version, status, score, label, reason } = row as unknown as Record<string, unknown>;
      const metadata = Object.entries(row.metadata).filter(([, value]) => typeof value === "number");
      return { unit_id, metric, version, status, score, label, reason, metadata: status === "scored" ? metadata : [] };
    })
    .sort((a, b) => (`${a.unit_id} ${a.metric}` < `${b.unit_id} ${b.metric}` ? -1 : 1));
}

/** What `score` says of the recordings in a file; leaves `expectations.json` in the folder. */
export async function scoredFromFile(folder: CommandFolder, scorers: readonly string[]): Promise<readonly unknown[]> {
  folder.lines("all.jsonl", REQUESTS);
  writeFileSync(join(folder.path, "expectations.json"), JSON.stringify(EXPECTED));
  const args = ["score", "all.jsonl", "--expectations", "expectations.json", "--format", "jsonl", "--quiet"];
  const { stdout } = await folder.run([...args, "--scorers", scorers.join(",")]);
  return comparable(rowsOf(stdout) as unknown as Comparable[]);
}
