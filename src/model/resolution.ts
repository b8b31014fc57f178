import type { Expectation, ExpectationRequest } from "./expectation.ts";
import type { AttributeMap, SpanAnnotation } from "./span.ts";

/** Why a column did not resolve to a usable value. */
export type ResolutionFailure =
  | "ambiguous_expectation"
  | "invalid_expectation"
  | "expectation_error"
  | "expectation_timeout";

/** What came out for one column. */
export type ColumnResolution =
  | { readonly state: "none" }
  | { readonly state: "failed"; readonly reason: ResolutionFailure; readonly message: string }
  | {
      readonly state: "resolved";
      /** Holds just this column, with the id, status and origin of the source that supplied it. */
      readonly expectation: Expectation;
      /** Digest of what the source supplied. */
      readonly digest: string;
    };

/** What sources 1 to 4 are asked about one unit. */
export interface ResolutionRequest extends ExpectationRequest {
  /** The attributes of the layers that `match.attributes` looks through, in this order. */
  readonly attribute_layers: readonly AttributeMap[];
  /** Source 1: what `withExpectation` carried onto the unit's spans (distinct objects, in order of arrival). */
  readonly contextual: readonly ContextualExpectation[];
  /** Source 2: raw annotations found on the unit's spans. */
  readonly span_annotations: readonly SpanAnnotation[];
}

/** An expectation carried by context, with the unit it speaks for. */
export interface ContextualExpectation {
  readonly unit: "trajectory" | "session";
  readonly expectation: Expectation;
}
