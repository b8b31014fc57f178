// What stands in for the vendor's backend: an exporter that keeps spans, and a writer of them as OTLP/JSON, so that a
// run can be looked at with the command line or kept as a fixture.

/** An exporter that keeps what it is handed until it is asked. It works with every SDK line. */
export function collectingExporter() {
  let kept = [];
  return {
    export(spans, done) {
      kept.push(...spans);
      done({ code: 0 });
    },
    /** The spans so far; the next call gives only later ones. */
    take() {
      const spans = kept;
      kept = [];
      return spans;
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
}

/** Spans as one OTLP/JSON request, in the order in which they were exported. */
export function toOtlp(spans) {
  const scopes = new Map();
  for (const span of spans) {
    // SDK 1.x has `instrumentationLibrary`, and `parentSpanId` in place of a context.
    const scope = span.instrumentationScope ?? span.instrumentationLibrary ?? { name: "" };
    const key = `${scope.name}@${scope.version ?? ""}`;
    if (!scopes.has(key)) scopes.set(key, { scope: { name: scope.name, version: scope.version }, spans: [] });
    scopes.get(key).spans.push(spanOf(span));
  }
  const resource = { attributes: [] };
  const text = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [...scopes.values()] }] });
  // Stack traces name the folder that this run happened in.
  return `${text.replaceAll(process.cwd(), "/app")}\n`;
}

function spanOf(span) {
  const { traceId, spanId } = span.spanContext();
  const attributes = Object.entries(span.attributes).filter(([key]) => !key.startsWith("trajectory."));
  return {
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId ?? span.parentSpanId,
    name: span.name,
    kind: span.kind + 1,
    startTimeUnixNano: nanos(span.startTime),
    endTimeUnixNano: nanos(span.endTime),
    attributes: attributes.map(attributeOf),
    events: span.events.map(({ name, time, attributes: of = {} }) => {
      return { name, timeUnixNano: nanos(time), attributes: Object.entries(of).map(attributeOf) };
    }),
    status: { code: span.status.code, message: span.status.message },
  };
}

function attributeOf([key, value]) {
  return { key, value: anyValueOf(value) };
}

function anyValueOf(value) {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValueOf) } };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
  return { stringValue: String(value) };
}

function nanos([seconds, rest]) {
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(Math.round(rest)));
}
