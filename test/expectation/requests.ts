import type { ResolutionRequest } from "../../src/model/resolution.ts";

/** A unit that nothing is said about, with what a test says about it. */
export function requestFor(overrides: Partial<ResolutionRequest> = {}): ResolutionRequest {
  return {
    unit: "trajectory",
    unit_id: "trajectory:t1",
    trace_ids: ["t1"],
    attributes: {},
    resource: {},
    attribute_layers: [],
    contextual: [],
    span_annotations: [],
    ...overrides,
  };
}
