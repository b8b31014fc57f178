/** Members of requests that carry no spans, in both spellings. */
const MEMBERS: readonly string[] = ["Logs", "Metrics", "Profiles"].flatMap((signal) => [
  `resource${signal}`,
  `resource_${signal.toLowerCase()}`,
]);

/** The member that shows a value to be an OTLP/JSON request of logs, metrics or profiles; undefined where it is none. */
export function otherSignalIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return MEMBERS.find((name) => Object.hasOwn(value, name));
}
