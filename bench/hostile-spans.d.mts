/** Calls to a span processor; `what` says what is wrong with the span. */
export interface HostileSpan {
  readonly what: string;
  readonly calls: readonly ("onStart" | "onEnding" | "onEnd")[];
  readonly span: unknown;
  readonly context: unknown;
}

export function hostileSpans(seed: number, rootContext: unknown): () => HostileSpan;
