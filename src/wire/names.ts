import type { SpanKindName, StatusName } from "../model/span.ts";

const API_KINDS: readonly SpanKindName[] = ["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const STATUSES: readonly StatusName[] = ["UNSET", "OK", "ERROR"];

/** Span kind by its OpenTelemetry API number, 0 to 4. */
export function kindOfNumber(kind: unknown): SpanKindName | undefined {
  return typeof kind === "number" ? API_KINDS[kind] : undefined;
}

/** Span kind by name, with or without the enum's `SPAN_KIND_`. */
export function kindOfName(name: string): SpanKindName | undefined {
  const plain = name.startsWith("SPAN_KIND_") ? name.slice("SPAN_KIND_".length) : name;
  return API_KINDS.find((kind) => kind === plain);
}

/** Status by its number, 0 to 2. */
export function statusOfNumber(code: unknown): StatusName | undefined {
  return typeof code === "number" ? STATUSES[code] : undefined;
}

/** Status by name, with or without the enum's `STATUS_CODE_`. */
export function statusOfName(name: string): StatusName | undefined {
  const plain = name.startsWith("STATUS_CODE_") ? name.slice("STATUS_CODE_".length) : name;
  return STATUSES.find((status) => status === plain);
}

/**
 * Whether the parent is in another process. Where nothing says so, SERVER and CONSUMER spans are taken to continue a
 * caller's trace.
 */
export function isRemoteParent(hasParent: boolean, said: boolean | undefined, kind: SpanKindName): boolean {
  if (!hasParent) return false;
  return said ?? (kind === "SERVER" || kind === "CONSUMER");
}

/** `flags` of OTLP: the sender says whether the parent is remote, and that it is. */
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** What was exported was sampled, unless its `flags` say otherwise. */
export const SAMPLED: number = 0x1;

/** What the `flags` of an OTLP span say of its parent; undefined where they say nothing. */
export function saysRemote(flags: number): boolean | undefined {
  return (flags & HAS_IS_REMOTE) === 0 ? undefined : (flags & IS_REMOTE) !== 0;
}
