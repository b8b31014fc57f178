// Compiled, never run: one class fits the interfaces of this SDK line.
import type { Sampler, SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { AlwaysOffSampler, BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { recordUnsampled, TrajectorySpanProcessor } from "otel-trajectory";

const processor: SpanProcessor = new TrajectorySpanProcessor();
const sampler: Sampler = recordUnsampled(new AlwaysOffSampler());
export const provider: BasicTracerProvider = new BasicTracerProvider({ sampler, spanProcessors: [processor] });
