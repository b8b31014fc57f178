// Small parts that the suite shares: processors that play odd hosts, and readers of what was emitted.

/** Attributes of a hand-made agent span and tool span in the OpenTelemetry GenAI convention. */
export const agentAttributes = (name) => ({ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name });
export const toolAttributes = (name) => ({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name });

/** A host that forwards spans but never calls `onEnding`, as bundles with an older SDK do. */
export function withoutOnEnding(processor) {
  return {
    onStart: (span, context) => processor.onStart(span, context),
    onEnd: (span) => processor.onEnd(span),
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  };
}

/** A host that ends what is still open beneath a root when the root ends, before it tells other processors of the end. */
export function endingChildrenByForce() {
  const open = new Map();
  return {
    onStart(span) {
      open.set(span.spanContext().spanId, span);
    },
    onEnd(span) {
      open.delete(span.spanContext().spanId);
      if (span.parentSpanContext !== undefined) return;
      for (const child of [...open.values()])
        if (child.spanContext().traceId === span.spanContext().traceId) child.end();
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
}

/** The evaluation events among log records, optionally of one name. */
export function evaluations(exporter, name) {
  return exporter
    .getFinishedLogRecords()
    .filter((record) => record.eventName === "gen_ai.evaluation.result")
    .filter((record) => name === undefined || record.attributes["gen_ai.evaluation.name"] === name);
}

/** Waits until `check` gives a value; fails after five seconds. */
export async function eventually(what, check) {
  const end = Date.now() + 5_000;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`nothing came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
