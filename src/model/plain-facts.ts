import type { SpanFacts, SpanView } from "./span.ts";

type Facts = Required<Omit<SpanFacts, "failure" | "carried">>;

/** Estimated bytes of one. */
export const PLAIN_BYTES: number = 180;

/**
 * The facts of a span that is nothing but a place in the tree, and may name a session: most spans of most hosts, so that
 * each field counts.
 */
export class PlainFacts implements SpanFacts {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_id: string;
  readonly remote_parent: boolean;
  readonly trace_flags: number;
  readonly name: string;
  readonly start_s: number;
  readonly start_n: number;
  readonly end_s: number;
  readonly end_n: number;
  readonly scope_name: string;
  readonly scope_version: string;
  readonly resource: Facts["resource"];
  readonly seq: number;
  readonly session: SpanFacts["session"];

  constructor(view: SpanView, seq: number, session: SpanFacts["session"]) {
    this.trace_id = view.trace_id;
    this.span_id = view.span_id;
    this.parent_id = view.parent_id;
    this.remote_parent = view.remote_parent;
    this.trace_flags = view.trace_flags;
    this.name = view.name;
    this.start_s = view.start_s;
    this.start_n = view.start_n;
    this.end_s = view.end_s;
    this.end_n = view.end_n;
    this.scope_name = view.scope_name;
    this.scope_version = view.scope_version;
    this.resource = view.resource;
    this.seq = seq;
    this.session = session;
  }

  get kind(): undefined {
    return undefined;
  }

  get facts(): undefined {
    return undefined;
  }

  get convention(): string {
    return "none";
  }

  get annotation(): undefined {
    return undefined;
  }

  get egress(): undefined {
    return undefined;
  }

  get session_end(): boolean {
    return false;
  }

  get attributes(): undefined {
    return undefined;
  }

  get bytes(): number {
    return PLAIN_BYTES;
  }
}
