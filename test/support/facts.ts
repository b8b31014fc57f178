import type { SpanFacts } from "../../src/model/span.ts";

/** A span of no kind for the buffers' tests; they look at nothing but ids, parents and bytes. */
export function plainFacts(given: Partial<SpanFacts> & Pick<SpanFacts, "trace_id" | "span_id">): SpanFacts {
  return {
    parent_id: "",
    remote_parent: false,
    trace_flags: 1,
    name: "span",
    start_s: 1,
    start_n: 0,
    end_s: 1,
    end_n: 1_000_000,
    scope_name: "test",
    scope_version: "",
    seq: 0,
    kind: undefined,
    facts: undefined,
    convention: "none",
    session: undefined,
    annotation: undefined,
    egress: undefined,
    session_end: false,
    attributes: undefined,
    resource: {},
    bytes: 100,
    ...given,
  };
}
