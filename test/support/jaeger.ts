type Json = Readonly<Record<string, unknown>>;
interface Tag {
  readonly key: string;
  readonly type: string;
  readonly value: unknown;
}

const KINDS = ["", "internal", "server", "client", "producer", "consumer"];

/**
 * OTLP/JSON requests as Jaeger keeps them and its UI downloads them: what the Collector's translation to Jaeger makes of
 * them, written down anew so that tests owe nothing to the code under test.
 */
export function jaegerOf(requests: readonly unknown[]): object {
  const traces = new Map<string, { traceID: string; spans: object[]; processes: Record<string, object> }>();
  for (const request of requests as { resourceSpans: Json[] }[]) {
    for (const { resource, scopeSpans } of request.resourceSpans) {
      const { serviceName, tags } = processOf(((resource as Json)?.["attributes"] ?? []) as Json[]);
      for (const { scope, spans } of scopeSpans as { scope?: Json; spans: Json[] }[]) {
        for (const span of spans) {
          const traceID = span["traceId"] as string;
          const trace = traces.get(traceID) ?? { traceID, spans: [], processes: {} };
          traces.set(traceID, trace);
          const key = JSON.stringify([serviceName, tags]);
          const known = Object.entries(trace.processes).find(
            ([, process]) => JSON.stringify(Object.values(process)) === key,
          );
          const processID = known?.[0] ?? `p${Object.keys(trace.processes).length + 1}`;
          trace.processes[processID] = { serviceName, tags };
          trace.spans.push(spanOf(span, scope ?? {}, processID));
        }
      }
    }
  }
  return { data: [...traces.values()], total: 0, limit: 0, offset: 0, errors: null };
}

function processOf(attributes: readonly Json[]): { serviceName: string; tags: readonly Tag[] } {
  const tags = attributes.map(tagOf);
  const service = tags.find(({ key }) => key === "service.name");
  return {
    serviceName: String(service?.value ?? "OTLPResourceNoServiceName"),
    tags: tags.filter((tag) => tag !== service),
  };
}

function spanOf(span: Json, scope: Json, processID: string): object {
  const start = BigInt(span["startTimeUnixNano"] as string);
  const end = BigInt(span["endTimeUnixNano"] as string);
  const traceID = span["traceId"];
  const reference = (refType: string, from: Json, id: string) => ({
    refType,
    traceID: from["traceId"],
    spanID: from[id],
  });
  const parent = span["parentSpanId"] ? [reference("CHILD_OF", span, "parentSpanId")] : [];
  const links = ((span["links"] ?? []) as Json[]).map((link) => reference("FOLLOWS_FROM", link, "spanId"));
  const { code, message } = (span["status"] ?? {}) as { code?: number; message?: string };
  const tags = [
    ...text("otel.scope.name", scope["name"]),
    ...text("otel.scope.version", scope["version"]),
    ...((span["attributes"] ?? []) as Json[]).map(tagOf),
    ...text("span.kind", KINDS[Number(span["kind"] ?? 0)]),
    ...text("otel.status_code", ["", "OK", "ERROR"][code ?? 0]),
    ...(code === 2 ? [{ key: "error", type: "bool", value: true }] : []),
    ...text("otel.status_description", message),
    { key: "internal.span.format", type: "string", value: "otlp" },
  ];
  return {
    traceID,
    spanID: span["spanId"],
    flags: 1,
    operationName: span["name"],
    references: [...parent, ...links],
    startTime: Number(start / 1000n),
    duration: Number((end - start) / 1000n),
    tags,
    logs: ((span["events"] ?? []) as Json[]).map((event) => ({
      timestamp: Number(BigInt((event["timeUnixNano"] as string) ?? "0") / 1000n),
      fields: [...text("event", event["name"]), ...((event["attributes"] ?? []) as Json[]).map(tagOf)],
    })),
    processID,
    warnings: null,
  };
}

function text(key: string, value: unknown): Tag[] {
  return typeof value === "string" && value !== "" ? [{ key, type: "string", value }] : [];
}

function tagOf({ key, value }: Json): Tag {
  const [[name, given] = ["stringValue", ""]] = Object.entries(value as object);
  const of = (type: string, kept: unknown): Tag => ({ key: key as string, type, value: kept });
  switch (name) {
    case "boolValue":
      return of("bool", given);
    case "intValue":
      return of("int64", Number.isSafeInteger(Number(given)) ? Number(given) : given);
    case "doubleValue":
      return of("float64", given);
    case "bytesValue":
      return of("binary", given);
    case "arrayValue":
    case "kvlistValue":
      return of("string", JSON.stringify(plain(value as Json)));
    default:
      return of("string", given);
  }
}

function plain(value: Json): unknown {
  const [[name, given] = ["stringValue", ""]] = Object.entries(value) as [string, unknown][];
  const values = (given as { values?: Json[] }).values ?? [];
  if (name === "arrayValue") return values.map(plain);
  if (name === "kvlistValue")
    return Object.fromEntries(values.map((pair) => [pair["key"], plain(pair["value"] as Json)]));
  return name === "intValue" ? Number(given) : given;
}
