// Compiled, never run: one class fits the interfaces of this SDK line.
import type { Sampler, SpanProcessor } from "@opentelemetry/sdk-trace";
import { AlwaysOffSampler, TracerProvider } from "@opentelemetry/sdk-trace";
import { recordUnsampled, TrajectorySpanProcessor } from "otel-trajectory";

const processor: SpanProcessor = new TrajectorySpanProcessor();
const sampler: Sampler = recordUnsampled(new AlwaysOffSampler());
export const provider: TracerProvider = new TracerProvider({ sampler, spanProcessors: [processor] });
