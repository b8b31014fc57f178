// SDK 3.x: how this line builds its providers and runs the real agent. The tests are in suite.mjs.
import { OpenTelemetry } from "@ai-sdk/otel";
import { context, logs } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import * as sdkMetrics from "@opentelemetry/sdk-metrics";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { AlwaysOffSampler, BatchSpanProcessor, InMemorySpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { scripted, toolsOf } from "./agent.mjs";
import { defineSuite } from "./suite.mjs";

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

defineSuite({
  name: "SDK 3",
  JsonExporter,
  ProtobufExporter,
  NodeSDK,
  logs,
  sdkMetrics,
  AlwaysOffSampler,
  InMemorySpanExporter,
  InMemoryLogRecordExporter,
  tracerProvider: (options) => new TracerProvider(options),
  batch: (exporter) => new BatchSpanProcessor({ exporter }),
  logProcessor: (exporter) => new SimpleLogRecordProcessor({ exporter }),
  loggerProvider: (...processors) => new LoggerProvider({ processors }),
  /** SDK 3 takes objects as attribute values. */
  structured: (value) => value,
  runAgent: async (tracer, path) => {
    const { text } = await generateText({
      model: new MockLanguageModelV4({ modelId: "scripted-model", doGenerate: scripted(path) }),
      tools: toolsOf(tool),
      stopWhen: stepCountIs(10),
      prompt: "Please refund order 1042.",
      telemetry: { functionId: "support_agent", integrations: [new OpenTelemetry({ tracer })] },
    });
    return text;
  },
});
