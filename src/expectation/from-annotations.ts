import type { ResolutionRequest } from "../model/resolution.ts";
import type { Annotations } from "../model/scorer.ts";
import { type Filling, failedColumns, failedFound, readColumn, readHeader } from "./found.ts";
import { COLUMNS } from "./parse.ts";
import type { Found } from "./source.ts";

/**
 * Source 3: a table from unit id, or bare trace or session id, to columns of JSON text. The unit id goes before the
 * bare id, per column. A row may hold `id` and `status` beside its columns; other keys belong to other metrics.
 */
export function foundInAnnotations(
  request: Pick<ResolutionRequest, "unit" | "unit_id" | "trace_ids" | "session_id">,
  annotations: Annotations | undefined,
): Found {
  if (annotations === undefined) return {};
  const bare = request.unit === "session" ? request.session_id : request.trace_ids[0];
  const found = readRow(annotations, request.unit_id);
  return bare === undefined || bare === request.unit_id ? found : { ...readRow(annotations, bare), ...found };
}

function readRow(annotations: Annotations, key: string): Found {
  // Ids come from spans: only own members count, or a session named "constructor" would find a function.
  const row: unknown = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  if (row === undefined) return {};
  const where = `annotations[${JSON.stringify(key)}]`;
  if (typeof row !== "object" || row === null) return failedFound("invalid_expectation", `${where}: must be a mapping`);
  const given = new Map<string, unknown>(Object.entries(row));
  const columns = COLUMNS.filter((column) => given.get(column) !== undefined);
  const header = readHeader(given.get("id"), given.get("status"), { id: "id", status: "status" });
  if (!header.ok) return failedColumns(columns, `${where}: ${header.message}`);
  const found: Filling = {};
  for (const column of columns) found[column] = readColumn(column, given.get(column), header.header, "own", where);
  return found;
}
