// SDK 2.x: how this line builds its providers and runs the real agent. The tests are in suite.mjs.
import { context } from "@opentelemetry/api";
import { logs } from "@opentelemetry/api-logs";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import * as sdkMetrics from "@opentelemetry/sdk-metrics";
import { NodeSDK } from "@opentelemetry/sdk-node";
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
} from "@opentelemetry/sdk-trace-base";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { scripted, toolsOf } from "./agent.mjs";
import { defineSuite } from "./suite.mjs";

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

defineSuite({
  name: "SDK 2",
  JsonExporter,
  ProtobufExporter,
  NodeSDK,
  logs,
  sdkMetrics,
  AlwaysOffSampler,
  InMemorySpanExporter,
  InMemoryLogRecordExporter,
  tracerProvider: (options) => new BasicTracerProvider(options),
  batch: (exporter) => new BatchSpanProcessor(exporter),
  logProcessor: (exporter) => new SimpleLogRecordProcessor({ exporter }),
  loggerProvider: (...processors) => new LoggerProvider({ processors }),
  /** SDK 2 refuses objects as attribute values, so instrumentations write JSON text. */
  structured: (value) => JSON.stringify(value),
  runAgent: async (tracer, path) => {
    const { text } = await generateText({
      model: new MockLanguageModelV3({ modelId: "scripted-model", doGenerate: scripted(path) }),
      tools: toolsOf(tool),
      stopWhen: stepCountIs(10),
      prompt: "Please refund order 1042.",
      experimental_telemetry: { isEnabled: true, functionId: "support_agent", tracer },
    });
    return text;
  },
});
