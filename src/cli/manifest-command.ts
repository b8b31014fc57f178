import { type Io, print } from "./io.ts";
import { buildScorer, knownScorer, scorerNames, unknownScorer } from "./scorers.ts";

/** `manifest [NAME]`: prints one manifest, or the list of all. */
export async function manifestCommand(name: string | undefined, io: Io): Promise<number> {
  if (name === undefined) {
    const all = scorerNames().map((known) => buildScorer(known, {}).manifest);
    await print(io.stdout, `${JSON.stringify(all, null, 2)}\n`);
    return 0;
  }
  const known = knownScorer(name);
  if (known === undefined) throw unknownScorer(name);
  await print(io.stdout, `${JSON.stringify(buildScorer(known, {}).manifest, null, 2)}\n`);
  return 0;
}
