import type { ContextualExpectation, ResolutionRequest } from "../model/resolution.ts";
import { readExpectation } from "./found.ts";
import { mergeFound } from "./merge.ts";
import type { Found } from "./source.ts";

const WHERE = "withExpectation";

/** Source 1: what was carried by context onto the unit's spans. Two different values of a column are ambiguous. */
export function foundInContext(request: Pick<ResolutionRequest, "unit" | "contextual">): Found {
  const speaking = request.contextual.filter((carried: ContextualExpectation) => carried.unit === request.unit);
  return mergeFound(
    speaking.map((carried) => readExpectation(carried.expectation, "own", WHERE)),
    WHERE,
  );
}
