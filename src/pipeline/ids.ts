/** Longest trace or span id, in characters; OpenTelemetry's have 32 and 16. */
const MAX_ID_LENGTH = 128;

/** Ids are short texts; hosts without an SDK may write any. */
export function isId(id: string): boolean {
  return typeof id === "string" && id !== "" && id.length <= MAX_ID_LENGTH;
}
