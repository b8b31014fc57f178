/** Characters that would end a line, move the cursor or reorder what is shown: controls, lone surrogates, separators, noncharacters. */
const UNPRINTABLE: RegExp = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{NChar}]/gu;

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

/** A name that would not be seen stands in quotes. */
export function quotedIfBlank(name: string): string {
  return name.trim() === "" ? `"${name}"` : name;
}

/** Longer names and reasons are cut: a report is no place for them. */
const LONGEST = 200;

/** Text on one line, of at most so many of its characters; never cut inside of one. */
export function shortLine(text: string, longest: number = LONGEST): string {
  if (text.length <= longest) return oneLine(text);
  const last = text.charCodeAt(longest - 2);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return `${oneLine(text.slice(0, splitsPair ? longest - 2 : longest - 1))}…`;
}
