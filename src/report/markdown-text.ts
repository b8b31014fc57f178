import { shortLine } from "./one-line.ts";

/** Marks that mean nothing inside of a line, and those that mean nothing where they stand. */
const HARMLESS: RegExp = /[-+,;/()='"%?]|:(?=\s|$)|\.(?=\s|$|\d)|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])/y;

/**
 * Text within a line, a table cell or an HTML element: every mark that Markdown or its host could take for structure,
 * a link or a mention stands as a number, which neither does. Not fit to begin a line.
 */
export function markdownText(text: string): string {
  return shortLine(text).replace(/[!-/:-@[-`{-~]/g, (mark, offset: number, whole: string) => {
    HARMLESS.lastIndex = offset;
    return HARMLESS.test(whole) ? mark : `&#${mark.charCodeAt(0)};`;
  });
}

/**
 * A name as code, fit for a table cell. A code span where the name allows it; otherwise an element whose text has its
 * punctuation as numbers, since neither a pipe nor a backtick can be escaped inside a code span of a table.
 */
export function markdownCode(name: string): string {
  const shown = name === "" ? '""' : shortLine(name);
  if (/^[\w.:/@,;=()<>"' -]+$/.test(shown) && shown.trim() === shown) return `\`${shown}\``;
  return `<code>${markdownText(shown)}</code>`;
}

/** A fenced block that no line inside can close. */
export function markdownFence(text: string, language: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
