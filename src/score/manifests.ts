import type { Manifest } from "../model/scorer.ts";
import { checkManifest } from "./checks/check-scorer.ts";
import { FORBIDDEN_TOOLS } from "./checks/forbidden-tools.ts";
import { MAX_CALLS } from "./checks/max-calls.ts";
import { judgeManifest } from "./judge/judge.ts";
import { EXACT_MATCH } from "./path/exact-match.ts";
import { IN_ORDER_SUBSET } from "./path/in-order-subset.ts";
import { ORDER_AWARE } from "./path/order-aware.ts";
import { pathManifest } from "./path/path-scorer.ts";
import { SET_OVERLAP } from "./path/set-overlap.ts";
import { STEP_CREDIT } from "./path/step-credit.ts";
import { TOOL_F1 } from "./path/tool-f1.ts";
import { TRAJECTORY_MATCH } from "./path/trajectory-match.ts";
import { defaultRubricManifest } from "./rubric/rubric.ts";
import { stepAccuracyManifest } from "./step-accuracy-manifest.ts";
import { toolSelectionManifest } from "./tool-selection-manifest.ts";
import { trajectoryShapeManifest } from "./trajectory-shape.ts";

/** The manifests of all scorers of this package, by name. Printed anew on each call; nobody else holds the objects. */
export function manifests(): Manifest[] {
  return [
    stepAccuracyManifest(),
    toolSelectionManifest(),
    pathManifest(EXACT_MATCH),
    pathManifest(IN_ORDER_SUBSET),
    pathManifest(TOOL_F1),
    pathManifest(ORDER_AWARE),
    pathManifest(SET_OVERLAP),
    pathManifest(STEP_CREDIT),
    pathManifest(TRAJECTORY_MATCH as typeof TRAJECTORY_MATCH & Parameters<typeof pathManifest>[0]),
    checkManifest(MAX_CALLS),
    checkManifest(FORBIDDEN_TOOLS),
    trajectoryShapeManifest(),
    defaultRubricManifest(),
    judgeManifest(),
  ];
}
