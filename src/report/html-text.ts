import { oneLine, shortLine } from "./one-line.ts";

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Text in an HTML page, between tags or in a quoted attribute: on one line, cut where it is long. */
export function htmlText(text: string): string {
  return escaped(shortLine(text));
}

/** The same in full length. */
export function htmlWhole(text: string): string {
  return escaped(oneLine(text));
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
}
