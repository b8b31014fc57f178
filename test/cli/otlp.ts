/** One span as OTLP/JSON writes it; times in ms. */
export interface OtlpSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly at: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** 32 or 16 hex digits out of a short name. */
export function hex(name: string, digits: 16 | 32): string {
  return Buffer.from(name).toString("hex").padStart(digits, "0");
}

/** An export request. */
export function request(spans: readonly OtlpSpan[], scope = "test"): object {
  return {
    resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: scope }, spans: spans.map(otlp) }] }],
  };
}

function otlp(span: OtlpSpan): object {
  return {
    traceId: hex(span.trace, 32),
    spanId: hex(span.id, 16),
    ...(span.parent === undefined ? {} : { parentSpanId: hex(span.parent, 16) }),
    name: span.name,
    kind: 1,
    startTimeUnixNano: `${span.at}000000`,
    endTimeUnixNano: `${span.at + 5}000000`,
    attributes: Object.entries(span.attributes ?? {}).map(([key, value]) => ({ key, value: { stringValue: value } })),
    status: {},
  };
}

/** The spans of one agent run that calls tools one after the other. */
export function agentRun(
  trace: string,
  tools: readonly string[],
  attributes: Readonly<Record<string, string>> = {},
  at = 1_000,
): OtlpSpan[] {
  const root: OtlpSpan = {
    trace,
    id: `${trace}-r`,
    name: "invoke_agent assistant",
    at,
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "assistant", ...attributes },
  };
  return [root, ...tools.map((tool, index) => toolSpan(trace, tool, index, at))];
}

/** One tool call of {@link agentRun}. */
export function toolSpan(trace: string, tool: string, index: number, at = 1_000): OtlpSpan {
  return {
    trace,
    id: `${trace}-${index}`,
    parent: `${trace}-r`,
    name: `execute_tool ${tool}`,
    at: at + 10 * (index + 1),
    attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool },
  };
}
