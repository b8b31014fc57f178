import { type Attributes, context, ROOT_CONTEXT, type Span, type Tracer, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  type ReadableLogRecord,
  SimpleLogRecordProcessor,
} from "@opentelemetry/sdk-logs";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { TrajectorySpanProcessor, type TrajectorySpanProcessorOptions } from "../../src/index.ts";

/** One data point of one metric. */
export interface Point {
  readonly name: string;
  readonly attributes: Attributes;
  readonly value: unknown;
}

/** A real SDK around the processor: spans, events and metrics end up in memory. */
export class Telemetry {
  readonly processor: TrajectorySpanProcessor;
  readonly tracer: Tracer;
  readonly provider: BasicTracerProvider;
  readonly #spans = new InMemorySpanExporter();
  readonly #logs = new InMemoryLogRecordExporter();
  readonly #metricsOut = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #reader = new PeriodicExportingMetricReader({ exporter: this.#metricsOut, exportIntervalMillis: 3_600_000 });

  constructor(
    options: TrajectorySpanProcessorOptions = {},
    host: { readonly sampler?: Sampler; readonly before?: SpanProcessor[]; readonly after?: SpanProcessor[] } = {},
  ) {
    const exporting = new SimpleSpanProcessor(this.#spans);
    const loggerProvider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: this.#logs })] });
    const meterProvider = new MeterProvider({ readers: [this.#reader] });
    let provider: BasicTracerProvider | undefined;
    this.processor = new TrajectorySpanProcessor({
      loggerProvider,
      meterProvider,
      tracerProvider: { getTracer: (...args) => (provider as BasicTracerProvider).getTracer(...args) },
      ...(options.attach === "hold" ? { next: exporting } : {}),
      ...options,
    });
    const processors: SpanProcessor[] = [...(host.before ?? []), this.processor, ...(host.after ?? [])];
    if (options.attach !== "hold") processors.push(exporting);
    provider = new BasicTracerProvider({
      spanProcessors: processors,
      ...(host.sampler === undefined ? {} : { sampler: host.sampler }),
    });
    this.provider = provider;
    this.tracer = provider.getTracer("test-agent");
  }

  get spans(): ReadableSpan[] {
    return this.#spans.getFinishedSpans();
  }

  span(name: string): ReadableSpan {
    const found = this.spans.find((span) => span.name === name);
    if (found === undefined) throw new Error(`no span ${name}`);
    return found;
  }

  get events(): ReadableLogRecord[] {
    return this.#logs.getFinishedLogRecords();
  }

  /** Attributes of the events of one metric, oldest first. */
  eventsOf(metric: string, unit = "trajectory"): Attributes[] {
    return this.events
      .map((event) => event.attributes as Attributes)
      .filter((each) => each["gen_ai.evaluation.name"] === metric && each["trajectory.unit"] === unit);
  }

  async points(name: string): Promise<Point[]> {
    await this.#reader.forceFlush();
    const last = this.#metricsOut.getMetrics().at(-1);
    return (last?.scopeMetrics ?? []).flatMap(({ metrics }) =>
      metrics
        .filter((metric) => metric.descriptor.name === name)
        .flatMap((metric) =>
          metric.dataPoints.map((point) => ({ name, attributes: point.attributes, value: point.value as unknown })),
        ),
    );
  }
}

/** Context that follows promises, as in a real host. Called once per test file. */
export function enableContext(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

/** Starts a span beneath another, outside any ambient context. */
export function child(tracer: Tracer, name: string, attributes: Attributes = {}, parent?: Span): Span {
  const within = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
  return tracer.startSpan(name, { attributes }, within);
}

export const agent = (tracer: Tracer, name: string, attributes: Attributes = {}, parent?: Span): Span =>
  child(
    tracer,
    `invoke_agent ${name}`,
    { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, ...attributes },
    parent,
  );

export const tool = (tracer: Tracer, name: string, parent?: Span, attributes: Attributes = {}): Span =>
  child(
    tracer,
    `execute_tool ${name}`,
    { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, ...attributes },
    parent,
  );

/** An agent that calls tools one after the other and ends. */
export function run(tracer: Tracer, tools: readonly string[], attributes: Attributes = {}, name = "support"): Span {
  const root = agent(tracer, name, attributes);
  for (const each of tools) tool(tracer, each, root).end();
  root.end();
  return root;
}

/** Waits until `condition` holds; events and timers are real, so the wait is too. */
export async function until(condition: () => boolean, millis = 5_000): Promise<void> {
  const deadline = Date.now() + millis;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
