import type { Attributes, Context, Link, SpanKind, TraceState } from "@opentelemetry/api";

/** The decision of a sampler, as both SDK lines have it: 0 not recorded, 1 recorded, 2 recorded and sampled. */
interface SamplingResultLike {
  readonly decision: number;
  readonly attributes?: Readonly<Attributes>;
  readonly traceState?: TraceState;
}

/** A sampler of either SDK line. */
export interface SamplerLike {
  shouldSample(
    parentContext: Context,
    traceId: string,
    spanName: string,
    spanKind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResultLike;
  toString(): string;
}

const NOT_RECORD = 0;
const RECORD = 1;

/**
 * Wraps any sampler so that the spans it leaves out are recorded all the same, without being sampled: the exporter's
 * processor skips them, ours scores them. So a team exports 1 % and scores 100 %.
 *
 * @example new NodeTracerProvider({ sampler: recordUnsampled(new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(0.01) })) })
 */
export function recordUnsampled<S extends SamplerLike>(sampler: S): S {
  return new Proxy(sampler, {
    get(target, property) {
      if (property === "shouldSample") {
        return (...args: Parameters<SamplerLike["shouldSample"]>): SamplingResultLike => {
          const result = target.shouldSample(...args);
          return result.decision === NOT_RECORD ? { ...result, decision: RECORD } : result;
        };
      }
      if (property === "toString") return () => `RecordUnsampled{${target.toString()}}`;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
