import { open } from "node:fs/promises";
import { parseExpectations } from "../expectation/parse.ts";
import { messageOf } from "../model/errors.ts";
import type { LoadedExpectations } from "./options.ts";

/** Largest file that is read, 1 MiB: five thousand rules, and a moment of the host's time to parse. */
export const MAX_FILE_BYTES: number = 1024 * 1024;

/** What a file holds as plain data, or what is wrong with it, in one line that names the file and the place. */
export type LoadedDocument =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** Reads a file of expectations, YAML or JSON (by the ending `.json`); messages call it `name`. Never rejects. */
export async function loadExpectationFile(path: string, name: string = path): Promise<LoadedExpectations> {
  const document = await loadDocument(path, name);
  return document.ok ? parseExpectations(document.value, name) : { ok: false, problems: [document.message] };
}

/** The first of the problems of a file, and how many more there are, on one line. */
export function summaryOf(problems: readonly string[], name: string): string {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return `${problems[0] ?? name}${more}`;
}

/** Reads a YAML or JSON (by the ending `.json`) file of sane size; messages call it `name`. Never rejects. */
export async function loadDocument(path: string, name: string = path): Promise<LoadedDocument> {
  let text: string;
  try {
    text = await readText(path);
  } catch (error) {
    return { ok: false, message: `${name}: cannot be read: ${firstLine(error)}` };
  }
  try {
    return { ok: true, value: await parseText(path, text) };
  } catch (error) {
    return { ok: false, message: `${name}: ${firstLine(error)}` };
  }
}

async function readText(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw new Error(`at most ${MAX_FILE_BYTES} bytes are allowed, got ${size}`);
    // Devices and pipes say that they have no size: what is read is bounded, whatever was announced.
    const buffer = Buffer.alloc(Math.min(MAX_FILE_BYTES, size || MAX_FILE_BYTES) + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (length > MAX_FILE_BYTES) throw new Error(`at most ${MAX_FILE_BYTES} bytes are allowed, got more`);
      if (bytesRead === 0 || length === buffer.length) break;
    }
    return buffer.toString("utf8", 0, length).replace(/^\uFEFF/, "");
  } finally {
    await file.close();
  }
}

/** The YAML reader comes in only when a file is read, so that the package's entries do not load it. */
async function parseText(path: string, text: string): Promise<unknown> {
  if (path.toLowerCase().endsWith(".json")) return JSON.parse(text);
  const { parseYaml } = await import("./parse-yaml.ts").catch((error: unknown) => {
    throw new Error(`the package yaml cannot be loaded (bundled? leave it external, or use JSON): ${messageOf(error)}`);
  });
  return parseYaml(text);
}

/** Messages may go on with a picture of the place; their first line says it all. */
function firstLine(error: unknown): string {
  return (messageOf(error).split("\n", 1)[0] ?? "").replace(/:$/, "");
}
