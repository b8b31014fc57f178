import { show } from "../model/errors.ts";
import type { ResolutionRequest } from "../model/resolution.ts";
import type { SpanAnnotation } from "../model/span.ts";
import { type Filling, failedColumns, readColumn, readHeader } from "./found.ts";
import { mergeFound } from "./merge.ts";
import type { Found } from "./source.ts";

/** What spans can carry. */
const COLUMNS = ["expected_steps", "expected_tools", "expected_calls"] as const;

const HEADER = { id: "aip.expectation.id", status: "aip.expectation.status" };

/**
 * Source 2: `aip.expected_*` attributes on the unit's spans, in walk order.
 *
 * A span speaks for the unit that its `aip.expected_unit` names (default `trajectory`), with the id and status on the
 * same span. A span whose unit cannot be read might have meant any unit, so it fails its columns for all of them.
 */
export function foundOnSpans(request: Pick<ResolutionRequest, "unit" | "span_annotations">): Found {
  const places: Found[] = [];
  for (const annotation of request.span_annotations) {
    const columns = COLUMNS.filter((column) => annotation[column] !== undefined);
    const unit = annotation.unit ?? "trajectory";
    if (unit === "trajectory" || unit === "session") {
      if (unit === request.unit) places.push(readAnnotation(annotation, columns));
    } else {
      const message = `aip.expected_unit: must be trajectory or session, got ${show(unit)}`;
      places.push(failedColumns(columns, `span ${annotation.span_id}: ${message}`));
    }
  }
  return mergeFound(places, "attributes on the spans");
}

function readAnnotation(annotation: SpanAnnotation, columns: readonly (typeof COLUMNS)[number][]): Found {
  const where = `span ${annotation.span_id}`;
  const header = readHeader(annotation.id, annotation.status, HEADER);
  if (!header.ok) return failedColumns(columns, `${where}: ${header.message}`);
  const found: Filling = {};
  for (const column of columns) found[column] = readColumn(column, annotation[column], header.header, "own", where);
  return found;
}
