import type { TrajectoryOptions } from "../model/trajectory.ts";
import { Collector } from "./collect.ts";
import { explainCommand } from "./explain-command.ts";
import { readInput } from "./input.ts";
import { type Io, print } from "./io.ts";
import { type Format, RowWriter } from "./row-writer.ts";
import { type StepsRow, stepsRow } from "./rows.ts";
import { stepsTable } from "./tables.ts";

export interface StepsOptions {
  readonly unit?: "trajectory" | "session" | undefined;
  readonly format?: Format | undefined;
  readonly trajectory: TrajectoryOptions;
  readonly perFile: boolean;
  readonly quiet: boolean;
  /** Says of every span why it is a step, or none. */
  readonly explain: boolean;
}

/** `steps FILE…`: prints what each unit did. */
export async function stepsCommand(files: readonly string[], options: StepsOptions, io: Io): Promise<number> {
  const { trajectory, perFile, quiet } = options;
  // People read tables, programs read lines.
  const format = options.format ?? (io.stdout.isTTY === true || options.explain ? "table" : "jsonl");
  if (options.explain) return explainCommand(files, { format, trajectory, perFile, quiet }, io);
  const collector = new Collector({ trajectory, perFile, attributes: [] });
  await readInput(files, (file) => collector.takerOf(file), io, quiet);
  const units = collector.units(new Set([options.unit ?? "trajectory"]));
  if (format === "table") {
    const rows: StepsRow[] = [];
    for (const unit of units) rows.push(stepsRow(unit));
    await print(io.stdout, stepsTable(rows));
    return 0;
  }
  const writer = new RowWriter(io.stdout, format);
  for (const unit of units) await writer.write(stepsRow(unit));
  await writer.end();
  return 0;
}
