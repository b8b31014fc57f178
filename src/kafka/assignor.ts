import { createHash } from "node:crypto";
import { nameOf, type Place } from "./client.ts";

/**
 * Shares partitions out among members: as evenly as can be, each to the member that has the highest hash with it among
 * those that have room (rendezvous hashing). So whoever works it out comes to the same, and where a member comes or goes
 * few partitions move between the others: what moves has to be read again.
 *
 * O(members × partitions).
 */
export function shareOut(members: readonly string[], places: readonly Place[]): Map<string, Place[]> {
  const shares = new Map<string, Place[]>([...members].sort().map((member) => [member, []]));
  const least = Math.floor(places.length / members.length);
  let oneMore = places.length % members.length;
  for (const place of [...places].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    let best: Place[] | undefined;
    let highest = "";
    for (const [member, share] of shares) {
      if (share.length > least || (share.length === least && oneMore === 0)) continue;
      const hash = createHash("sha256")
        .update(`${member}\n${nameOf(place)}`)
        .digest("hex");
      if (hash > highest) [best, highest] = [share, hash];
    }
    if (best === undefined) continue;
    if (best.length === least) oneMore -= 1;
    best.push(place);
  }
  return shares;
}
