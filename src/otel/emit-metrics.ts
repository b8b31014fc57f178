import {
  type Attributes,
  type Counter,
  type Histogram,
  type MeterProvider,
  metrics,
  type ObservableResult,
} from "@opentelemetry/api";
import type { Evaluation } from "../model/evaluation.ts";
import { SCOPE_NAME, VERSION } from "../model/version.ts";
import type { RecordedResult, ScoredUnit } from "../pipeline/sink.ts";
import type { TrajectoryStats } from "../pipeline/stats.ts";
import * as names from "./semconv.ts";

/** The last bucket holds exactly the perfect runs. */
const SCORE_BOUNDS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999999];
const DURATION_BOUNDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300];

/** Agents beyond this many share one name, so that no backend is flooded with series. */
const MAX_AGENTS = 100;
/** Longer names are no names; each would be part of every data point. */
const MAX_AGENT_LENGTH = 256;
const OTHER_AGENT = "_other";

interface Instruments {
  readonly score: Histogram;
  readonly results: Counter;
  readonly corrections: Counter;
  readonly duration: Histogram;
}

/**
 * Records results and our own health. Meters taken before the provider is registered stay no-op for ever, so the
 * provider is looked up at each use and instruments are made anew when it changes. Health is observed from `stats`
 * when somebody collects: the hooks pay nothing for it.
 */
export class MetricEmitter {
  readonly #given: MeterProvider | undefined;
  readonly #stats: () => TrajectoryStats;
  readonly #component: Attributes;
  readonly #capacity: number;
  readonly #agents = new Set<string>();
  #provider: MeterProvider | undefined;
  #instruments: Instruments | undefined;

  constructor(given: MeterProvider | undefined, stats: () => TrajectoryStats, componentName: string, capacity: number) {
    this.#given = given;
    this.#stats = stats;
    this.#capacity = capacity;
    this.#component = {
      [names.ATTR_COMPONENT_TYPE]: "trajectory_span_processor",
      [names.ATTR_COMPONENT_NAME]: componentName,
    };
  }

  /** Looks the provider up; cheap when it is the known one. */
  ready(): Instruments {
    const provider = this.#given ?? metrics.getMeterProvider();
    if (this.#instruments === undefined || provider !== this.#provider) {
      this.#provider = provider;
      this.#instruments = this.#create(provider);
    }
    return this.#instruments;
  }

  record(result: RecordedResult): void {
    const { score, results } = this.ready();
    const attributes = this.#attributes(result);
    if (result.score !== undefined) score.record(result.score, attributes);
    results.add(1, {
      ...attributes,
      [names.ATTR_EVALUATION_STATUS]: result.status,
      ...(result.reason === undefined ? {} : { [names.ATTR_EVALUATION_REASON]: result.reason }),
      ...(result.label === undefined ? {} : { [names.ATTR_SCORE_LABEL]: result.label }),
    });
  }

  correct(result: RecordedResult): void {
    this.ready().corrections.add(1, this.#attributes(result));
  }

  time(unit: ScoredUnit, evaluation: Evaluation): void {
    this.ready().duration.record(evaluation.duration_s, {
      [names.ATTR_EVALUATION_NAME]: evaluation.scorer.metric_name,
      [names.ATTR_UNIT]: unit.unit,
    });
  }

  skip(metricName: string): void {
    this.ready().results.add(1, {
      [names.ATTR_EVALUATION_NAME]: metricName,
      [names.ATTR_UNIT]: "trajectory",
      [names.ATTR_EVALUATION_STATUS]: "non_evaluable",
      [names.ATTR_EVALUATION_REASON]: "not_sampled",
    });
  }

  #attributes(result: RecordedResult): Attributes {
    const attributes: Attributes = {
      [names.ATTR_EVALUATION_NAME]: result.metric_name,
      [names.ATTR_UNIT]: result.unit,
      [names.ATTR_COMPLETE]: result.complete,
    };
    if (result.agent !== undefined) attributes[names.ATTR_AGENT_NAME] = this.#agent(result.agent);
    return attributes;
  }

  #agent(name: string): string {
    if (this.#agents.has(name)) return name;
    if (this.#agents.size >= MAX_AGENTS || name.length > MAX_AGENT_LENGTH) return OTHER_AGENT;
    this.#agents.add(name);
    return name;
  }

  #create(provider: MeterProvider): Instruments {
    const meter = provider.getMeter(SCOPE_NAME, VERSION);
    const observed = (
      kind: "counter" | "updown",
      name: string,
      unit: string,
      description: string,
      read: Read,
    ): void => {
      const options = { unit, description };
      const instrument =
        kind === "counter"
          ? meter.createObservableCounter(name, options)
          : meter.createObservableUpDownCounter(name, options);
      instrument.addCallback((result) => read(result, this.#stats()));
    };
    observed("updown", names.METRIC_UNITS_OPEN, "{unit}", "Traces and sessions that are followed", (result, stats) => {
      result.observe(stats.traces.open, { [names.ATTR_UNIT]: "trajectory" });
      result.observe(stats.sessions.open, { [names.ATTR_UNIT]: "session" });
    });
    observed("updown", names.METRIC_BYTES_BUFFERED, "By", "Estimated bytes of what is held", (result, stats) =>
      result.observe(stats.buffered_bytes, this.#component),
    );
    observed(
      "counter",
      names.METRIC_SPANS_LATE,
      "{span}",
      "Spans that ended after their trace was scored",
      (result, stats) => result.observe(stats.spans.late),
    );
    observed("counter", names.METRIC_SPANS_DROPPED, "{span}", "Ended spans that no unit took", (result, stats) => {
      for (const [reason, count] of Object.entries(stats.spans.dropped)) {
        result.observe(count, { [names.ATTR_ERROR_TYPE]: reason });
      }
    });
    observed("counter", names.METRIC_PROCESSED, "{span}", "Spans the processor is done with", (result, stats) => {
      result.observe(stats.spans.released, this.#component);
      for (const [reason, count] of Object.entries(stats.spans.dropped)) {
        if (count > 0) result.observe(count, { ...this.#component, [names.ATTR_ERROR_TYPE]: errorType(reason) });
      }
    });
    observed("updown", names.METRIC_QUEUE_SIZE, "{span}", "Spans that are held", (result, stats) =>
      result.observe(stats.spans.held, this.#component),
    );
    observed("updown", names.METRIC_QUEUE_CAPACITY, "{span}", "Spans that can be held", (result) =>
      result.observe(this.#capacity, this.#component),
    );
    return {
      score: meter.createHistogram(names.METRIC_SCORE, {
        unit: "1",
        description: "Scores of finished traces and sessions, each unit once",
        advice: { explicitBucketBoundaries: SCORE_BOUNDS },
      }),
      results: meter.createCounter(names.METRIC_RESULTS, {
        unit: "{result}",
        description: "Results by status and reason",
      }),
      corrections: meter.createCounter(names.METRIC_CORRECTIONS, {
        unit: "{result}",
        description: "Recorded scores that late spans changed",
      }),
      duration: meter.createHistogram(names.METRIC_DURATION, {
        unit: "s",
        description: "Time spent on one evaluation",
        advice: { explicitBucketBoundaries: DURATION_BOUNDS },
      }),
    };
  }
}

type Read = (result: ObservableResult, stats: TrajectoryStats) => void;

/** The word that the conventions have for it, where they have one. */
function errorType(reason: string): string {
  return reason === "after_shutdown" ? "already_shutdown" : reason;
}
