/** What XML 1.0 cannot hold, not even escaped: most controls, lone surrogates, two noncharacters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must go
const NOT_XML: RegExp = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
  ["\t", "&#9;"],
  ["\n", "&#10;"],
  ["\r", "&#13;"],
]);

function withoutForbidden(text: string): string {
  return text.replace(NOT_XML, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Text between XML tags; `>` is escaped too, so that no `]]>` comes about. */
export function xmlText(text: string): string {
  return withoutForbidden(text).replace(/[&<>\r]/g, (character) => ENTITIES.get(character) ?? character);
}

/** Text inside an XML attribute in double quotes; white space survives. */
export function xmlAttribute(text: string): string {
  return withoutForbidden(text).replace(/[&<>"'\t\n\r]/g, (character) => ENTITIES.get(character) ?? character);
}
