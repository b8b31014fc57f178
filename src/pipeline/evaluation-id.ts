import { digestOf, sha256Hex } from "../model/digest.ts";
import type { Scorer } from "../model/scorer.ts";

const DIGESTS = new WeakMap<Scorer, string>();

/** Digest of a scorer's configuration (JSON with sorted keys). */
export function configDigest(scorer: Scorer): string {
  let digest = DIGESTS.get(scorer);
  if (digest === undefined) {
    digest = digestOf(scorer.config ?? {});
    DIGESTS.set(scorer, digest);
  }
  return digest;
}

/**
 * 32 hex digits that name one evaluation: of one unit, by one scorer with one configuration, against one expectation.
 * It stays the same over revisions; with the id of the unit's first span it tells two units of one id apart.
 */
export function evaluationId(unitId: string, scorer: Scorer, expectationDigest: string, firstSpanId?: string): string {
  const parts = [unitId, scorer.name, scorer.version, configDigest(scorer), expectationDigest];
  if (firstSpanId !== undefined) parts.push(firstSpanId);
  return sha256Hex(JSON.stringify(parts)).slice(0, 32);
}
