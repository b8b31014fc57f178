import { readFile } from "node:fs/promises";
import { messageOf } from "../model/errors.ts";
import { type AgreementRow, agreement } from "../score/agreement.ts";
import { agreementRows } from "./agreement-rows.ts";
import { fromFolder } from "./input-files.ts";
import { type Io, print, printable, UsageError } from "./io.ts";
import { agreementTable } from "./tables.ts";

export interface AgreeOptions {
  readonly format: "table" | "json";
  readonly quiet: boolean;
}

/** More different labels than this are a mistake, such as a column of ids or of scores. */
const MAX_LABELS = 100;
/** Complaints about single rows that are told one by one. */
const MAX_COMPLAINTS = 20;

/** `agree FILE`: how far a judge and people agree. */
export async function agreeCommand(file: string, options: AgreeOptions, io: Io): Promise<number> {
  const name = file === "-" ? "standard input" : file;
  const complaints: string[] = [];
  let skipped = 0;
  const rows = agreementRows(await readText(file, name, io), (place, problem) => {
    skipped += 1;
    if (complaints.length < MAX_COMPLAINTS) complaints.push(`${name}:${place}: ${problem}`);
  });
  if (rows.length === 0) {
    throw new UsageError(complaints[0] ?? `${name}: is empty; expected rows of unit_id, judge, human (CSV or JSON)`);
  }
  refuseManyLabels(rows, name);
  const say = (text: string): void => {
    if (!options.quiet) io.stderr.write(`otel-trajectory: ${printable(text)}; skipped\n`);
  };
  for (const complaint of complaints) say(complaint);
  if (skipped > complaints.length) say(`${name}: ${skipped - complaints.length} more rows that cannot be used`);
  const result = agreement(rows);
  await print(io.stdout, options.format === "json" ? `${JSON.stringify(result)}\n` : agreementTable(result));
  return 0;
}

function refuseManyLabels(rows: readonly AgreementRow[], name: string): void {
  const labels = new Set(rows.flatMap(({ judge, human }) => [judge, human]));
  if (labels.size <= MAX_LABELS) return;
  throw new UsageError(
    `${name}: expected labels in judge and human, at most ${MAX_LABELS}, got ${labels.size} different`,
  );
}

async function readText(file: string, name: string, io: Io): Promise<string> {
  try {
    if (file !== "-") return await readFile(fromFolder(io.cwd, file), "utf8");
    const decoder = new TextDecoder();
    const parts: string[] = [];
    for await (const chunk of io.stdin) {
      parts.push(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
    }
    return parts.join("") + decoder.decode();
  } catch (error) {
    throw new UsageError(`${name}: cannot be read: ${messageOf(error)}`);
  }
}
