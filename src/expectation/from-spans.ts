import { show } from "../model/errors.ts";
import type { ColumnResolution, ResolutionRequest } from "../model/resolution.ts";
import type { SpanAnnotation } from "../model/span.ts";
import { type Filling, failedColumns, type Header, readColumn, readHeader } from "./found.ts";
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
  for (const column of columns) found[column] = readOnce(column, annotation[column], header.header, where);
  return found;
}

/** Texts that are remembered with what they say, and the longest of them. */
const MOST_REMEMBERED = 64;
const LONGEST_REMEMBERED = 8_192;
const REMEMBERED = new Map<string, ColumnResolution>();

/**
 * Traces of one kind mostly carry the same annotation: reading it costs more than several scorers. What comes of a text
 * is frozen all the way down, so that it can be handed out again.
 */
function readOnce(column: (typeof COLUMNS)[number], value: unknown, header: Header, where: string): ColumnResolution {
  if (typeof value !== "string" || value.length > LONGEST_REMEMBERED || (header.id?.length ?? 0) > LONGEST_REMEMBERED) {
    return readColumn(column, value, header, "own", where);
  }
  const key = JSON.stringify([column, header.status, header.id, value]);
  const known = REMEMBERED.get(key);
  if (known !== undefined) return known;
  const read = readColumn(column, value, header, "own", where);
  if (read.state !== "resolved") return read;
  if (REMEMBERED.size >= MOST_REMEMBERED) REMEMBERED.clear();
  REMEMBERED.set(key, read);
  return read;
}
