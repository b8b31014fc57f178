import { normalizeName } from "../model/names.ts";

/** Normalised names seen before: an application has few, and every trace has them again. */
const SEEN = new Map<string, string>();
const MOST_NAMES = 4_096;
const LONGEST = 128;

/** {@link normalizeName}, remembered for short names. O(length), or a look-up. At most 4 096 names are held. */
export function normalizedName(name: string): string {
  if (name.length > LONGEST) return normalizeName(name);
  let found = SEEN.get(name);
  if (found === undefined) {
    if (SEEN.size >= MOST_NAMES) SEEN.clear();
    found = normalizeName(name);
    SEEN.set(name, found);
  }
  return found;
}
