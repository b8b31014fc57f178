import type { SpanFacts } from "./span.ts";

/** What is held of a span that is nothing but a place in the tree. */
export type PlainPlace = Pick<
  SpanFacts,
  | "trace_id"
  | "span_id"
  | "parent_id"
  | "remote_parent"
  | "trace_flags"
  | "name"
  | "start_s"
  | "start_n"
  | "end_s"
  | "end_n"
  | "scope_name"
  | "scope_version"
  | "resource"
>;

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
  readonly resource: SpanFacts["resource"];
  readonly seq: number;
  readonly session: SpanFacts["session"];

  constructor(span: PlainPlace, seq: number, session: SpanFacts["session"]) {
    this.trace_id = span.trace_id;
    this.span_id = span.span_id;
    this.parent_id = span.parent_id;
    this.remote_parent = span.remote_parent;
    this.trace_flags = span.trace_flags;
    this.name = span.name;
    this.start_s = span.start_s;
    this.start_n = span.start_n;
    this.end_s = span.end_s;
    this.end_n = span.end_n;
    this.scope_name = span.scope_name;
    this.scope_version = span.scope_version;
    this.resource = span.resource;
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
