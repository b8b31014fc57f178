import { writeFile } from "node:fs/promises";
import { MAX_FILE_BYTES } from "../files/load.ts";
import { messageOf } from "../model/errors.ts";
import type { TrajectoryOptions } from "../model/trajectory.ts";
import { propose } from "../record/propose.ts";
import { Collector } from "./collect.ts";
import { count } from "./gate.ts";
import { readInput } from "./input.ts";
import { fromFolder } from "./input-files.ts";
import { type Io, print, printable, UsageError } from "./io.ts";
import { recordYaml } from "./record-yaml.ts";

export interface RecordOptions {
  readonly unit?: "trajectory" | "session" | undefined;
  readonly caseAttribute?: string | undefined;
  /** Where to write; absent: standard output. */
  readonly output?: string | undefined;
  readonly trajectory: TrajectoryOptions;
  readonly perFile: boolean;
  readonly quiet: boolean;
}

/** `record FILE…`: writes an expectations file that the observed runs follow. */
export async function recordCommand(files: readonly string[], options: RecordOptions, io: Io): Promise<number> {
  const { trajectory, perFile, quiet, caseAttribute } = options;
  if (caseAttribute === "" || caseAttribute === "__proto__") {
    throw new UsageError(`--case-attribute: expected the key of an attribute, got ${JSON.stringify(caseAttribute)}`);
  }
  const attributes = caseAttribute === undefined ? [] : [caseAttribute];
  const collector = new Collector({ trajectory, perFile, attributes });
  await readInput(files, (file) => collector.takerOf(file), io, quiet);
  const units = [...collector.units(new Set([options.unit ?? "trajectory"]))];
  const { proposals, skipped } = propose(units, caseAttribute);
  const say = (text: string): void => {
    if (!quiet) io.stderr.write(`otel-trajectory: ${printable(text)}\n`);
  };
  for (const line of skipped) say(`${line}; left out`);
  if (proposals.length === 0) throw new UsageError(`${files.join(", ")}: no run to record; expected traces of agents`);
  const text = recordYaml(proposals);
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
    say(`the recording is longer than the ${MAX_FILE_BYTES} bytes that are read again: split it into several files`);
  }
  if (options.output === undefined) await print(io.stdout, text);
  else await writeNew(options.output, text, io);
  const drawn = proposals.reduce((sum, proposal) => sum + proposal.unit_ids.length, 0);
  say(
    `${count(proposals.length, "expectation")} proposed from ${count(drawn, "run")}; review, then set status: approved`,
  );
  return 0;
}

/** What people have reviewed is not written over. */
async function writeNew(file: string, text: string, io: Io): Promise<void> {
  try {
    await writeFile(fromFolder(io.cwd, file), text, { flag: "wx" });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === "EEXIST";
    throw new UsageError(
      exists ? `${file}: exists already; expected the name of a new file` : `${file}: ${messageOf(error)}`,
    );
  }
}
