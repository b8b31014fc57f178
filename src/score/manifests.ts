import type { Manifest } from "../model/scorer.ts";
import { stepAccuracyManifest } from "./step-accuracy-manifest.ts";
import { toolSelectionManifest } from "./tool-selection-manifest.ts";

/** The manifests of all scorers of this package, by name. Printed anew on each call; nobody else holds the objects. */
export function manifests(): Manifest[] {
  return [stepAccuracyManifest(), toolSelectionManifest()];
}
