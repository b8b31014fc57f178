/** Characters that would end a line, move the cursor or reorder what is shown: controls, lone surrogates, separators. */
const UNPRINTABLE: RegExp = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Text on one line: characters that print as nothing or as something else are escaped. */
export function oneLine(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const short = SHORT.get(character);
    return short ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
