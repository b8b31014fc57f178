import { readdir, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { messageOf } from "../model/errors.ts";
import { UsageError } from "./io.ts";

/** The path as seen from the folder that the command runs in. */
export function fromFolder(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

/**
 * The files that arguments name: a file is itself, a folder its files (hidden ones and folders aside), a name with `*`
 * or `?` the files of that folder that fit. Those of one folder are in the order in which they were written, as rotation
 * names them; `-` stays.
 *
 * @throws UsageError (rejects) for what is not there, and for a folder or a pattern without files
 */
export async function inputFiles(names: readonly string[], cwd: string): Promise<string[]> {
  const files: string[] = [];
  for (const name of names) files.push(...(name === "-" ? ["-"] : await filesOf(name, cwd)));
  return files;
}

async function filesOf(name: string, cwd: string): Promise<readonly string[]> {
  const path = fromFolder(cwd, name);
  try {
    if (!(await stat(path)).isDirectory()) return [name];
    return someOf(await filesIn(path, () => true), name, name);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const pattern = basename(name);
    if (!/[*?]/.test(pattern)) throw new UsageError(`${name}: cannot be read: ${messageOf(error)}`);
    const found = await filesIn(dirname(path), (file) => fits(file, pattern)).catch(() => []);
    return someOf(found, name, dirname(name));
  }
}

function someOf(files: readonly string[], name: string, folder: string): readonly string[] {
  if (files.length === 0) throw new UsageError(`${name}: there are no files; expected files of OTLP`);
  return files.map((file) => (folder === "." ? file : join(folder, file)));
}

async function filesIn(folder: string, wanted: (file: string) => boolean): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith(".") || !wanted(entry.name)) continue;
    // A link is what it leads to; one that leads nowhere is named when it is read.
    const leads = entry.isSymbolicLink() ? await stat(join(folder, entry.name)).catch(() => entry) : entry;
    if (!leads.isDirectory()) names.push(entry.name);
  }
  return names.sort(byAge);
}

/** Whether a name fits a pattern: `*` is any text, `?` one character. O(name x pattern). */
export function fits(name: string, pattern: string): boolean {
  let [at, from, star, mark] = [0, 0, -1, 0];
  while (at < name.length) {
    if (pattern[from] === "*") {
      star = from;
      mark = at;
      from += 1;
    } else if (pattern[from] === "?" || pattern[from] === name[at]) {
      from += 1;
      at += 1;
    } else if (star === -1) return false;
    else {
      mark += 1;
      at = mark;
      from = star + 1;
    }
  }
  while (pattern[from] === "*") from += 1;
  return from === pattern.length;
}

/** The file, and what rotation made of its predecessors and has not compressed; the oldest first. */
export async function rotationOf(path: string): Promise<string[]> {
  const name = basename(path);
  const found = await filesIn(dirname(path), (file) => rotated(file).base === name && !COMPRESSED.test(file));
  return found.map((file) => join(dirname(path), file));
}

/** A file by what rotation does to its name. */
interface Rotated {
  /** The name without it. */
  readonly base: string;
  /** Files with a time come first, then those with a number, last the one that is written to. */
  readonly rank: number;
  /** Grows with age, where a name has a number. */
  readonly number: number;
  readonly time: string;
}

const COMPRESSED = /\.(?:gz|zst|zstd)$/;
/** As the Collector's file exporter names them: `traces-2022-09-14T05-02-14.173-size.jsonl`, in older versions without the reason. */
const TIMED = /-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3})(?:-[a-z]{1,20})?(?=\.|$)/;
/** As logrotate names them: `traces.jsonl.1`. */
const NUMBERED = /\.(\d{1,9})$/;

function rotated(file: string): Rotated {
  const name = file.replace(COMPRESSED, "");
  const time = TIMED.exec(name);
  if (time !== null) return { base: name.replace(TIMED, ""), rank: 0, number: 0, time: time[1] as string };
  const number = NUMBERED.exec(name);
  if (number !== null) return { base: name.replace(NUMBERED, ""), rank: 1, number: Number(number[1]), time: "" };
  return { base: name, rank: 2, number: 0, time: "" };
}

/** The oldest first, within the files of one name; names by code unit. */
export function byAge(left: string, right: string): number {
  const [a, b] = [rotated(left), rotated(right)];
  if (a.base !== b.base) return a.base < b.base ? -1 : 1;
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.number !== b.number) return b.number - a.number;
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return left < right ? -1 : 1;
}
