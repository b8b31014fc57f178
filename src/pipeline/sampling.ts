/**
 * Whether a unit is in the sample, decided from its id alone, so that processes and scorers agree on it.
 * A hexadecimal id is read from its low end, whose digits are random in W3C trace ids (the same 56 bits that
 * OpenTelemetry's consistent sampling uses); other ids are hashed (FNV-1a, 32 bits).
 *
 * @param ratio 0 (nothing) to 1 (everything)
 */
export function inSample(id: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  if (ratio <= 0) return false;
  return fraction(id) < ratio;
}

function fraction(id: string): number {
  if (id.length === 32) {
    // 13 digits are 52 bits, which a double holds exactly.
    const value = Number.parseInt(id.slice(-13), 16);
    if (Number.isFinite(value) && /^[0-9a-f]{13}$/.test(id.slice(-13))) return value / 2 ** 52;
  }
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  // One round of mixing: FNV leaves the high bits of short ids nearly constant.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
