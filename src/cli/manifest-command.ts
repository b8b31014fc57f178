import { manifests } from "../score/manifests.ts";
import { type Io, print } from "./io.ts";
import { unknownScorer } from "./scorers.ts";

/** `manifest [NAME]`: prints one manifest, or the list of all, of those that only code can build too. */
export async function manifestCommand(name: string | undefined, io: Io): Promise<number> {
  const all = manifests();
  if (name === undefined) {
    await print(io.stdout, `${JSON.stringify(all, null, 2)}\n`);
    return 0;
  }
  const bare = bareName(name);
  const found = all.find((manifest) => bareName(manifest.name) === bare);
  if (found === undefined) {
    throw unknownScorer(
      name,
      all.map((manifest) => bareName(manifest.name)),
    );
  }
  await print(io.stdout, `${JSON.stringify(found, null, 2)}\n`);
  return 0;
}

function bareName(name: string): string {
  return name.replace(/^agent\./, "");
}
