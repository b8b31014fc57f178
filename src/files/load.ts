import { open } from "node:fs/promises";
import { parseDocument } from "yaml";
import { parseExpectations } from "../expectation/parse.ts";
import type { LoadedExpectations } from "./options.ts";

/** Largest file that is read. A thousand rules take about 200 KiB. */
export const MAX_FILE_BYTES: number = 4 * 1024 * 1024;
/** Aliases may not unfold into more than this many copies (YAML's "billion laughs"). */
const MAX_ALIASES = 100;
/** Deeper text would exhaust the stack of the YAML parser; expectations nest four levels. */
const MAX_DEPTH = 200;

/** What a file holds as plain data, or what is wrong with it, in one line that names the file and the place. */
export type LoadedDocument =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** Reads a file of expectations, YAML or JSON (by the ending `.json`). Never rejects. */
export async function loadExpectationFile(path: string): Promise<LoadedExpectations> {
  const document = await loadDocument(path);
  return document.ok ? parseExpectations(document.value, path) : { ok: false, problems: [document.message] };
}

/** Reads a YAML or JSON (by the ending `.json`) file of sane size. Never rejects. */
export async function loadDocument(path: string): Promise<LoadedDocument> {
  let text: string;
  try {
    text = await readText(path);
  } catch (error) {
    return { ok: false, message: `${path}: cannot be read: ${firstLine(error)}` };
  }
  try {
    return { ok: true, value: parseText(path, text) };
  } catch (error) {
    return { ok: false, message: `${path}: ${firstLine(error)}` };
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

function parseText(path: string, text: string): unknown {
  if (path.toLowerCase().endsWith(".json")) return JSON.parse(text);
  if (deepestFlow(text) > MAX_DEPTH) throw new Error(`at most ${MAX_DEPTH} levels of nesting are allowed, got more`);
  const document = parseDocument(text, { stringKeys: true, logLevel: "silent" });
  const first = document.errors[0];
  if (first !== undefined) throw first;
  return document.toJS({ maxAliasCount: MAX_ALIASES });
}

/** An upper bound of how deep brackets nest. Quoted brackets count too, which real files never notice. O(n). */
function deepestFlow(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === "[" || character === "{") depth += 1;
    else if ((character === "]" || character === "}") && depth > 0) depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

/** YAML's messages go on with a picture of the place; their first line says it all. */
function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split("\n", 1)[0] ?? "").replace(/:$/, "");
}
