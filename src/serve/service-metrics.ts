import type { Counter, Histogram, MeterProvider } from "@opentelemetry/api";
import { SCOPE_NAME, VERSION } from "../model/version.ts";
import type { AnsweredRequest } from "./http-front.ts";
import type { ReceivedCounts } from "./receiver.ts";

/** What is looked at when somebody collects. */
export interface Observed {
  active(): number;
  droppedConnections(): number;
  received(): ReceivedCounts;
  waiting(): number;
  lost(): number;
}

/** Bounds of the semantic conventions for `http.server.request.duration`. */
const DURATION_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Metrics of the service itself, beside those of the results: under OpenTelemetry's names where it has one. */
export class ServiceMetrics {
  readonly #duration: Histogram;
  readonly #refused: Counter;

  constructor(provider: MeterProvider, observed: Observed) {
    const meter = provider.getMeter(SCOPE_NAME, VERSION);
    this.#duration = meter.createHistogram("http.server.request.duration", {
      unit: "s",
      description: "Duration of requests",
      advice: { explicitBucketBoundaries: DURATION_BOUNDS },
    });
    this.#refused = meter.createCounter("trajectory.serve.requests.refused", {
      unit: "{request}",
      description: "Requests with spans that were turned away, by status",
    });
    const counter = (name: string, unit: string, description: string, read: () => number): void => {
      meter.createObservableCounter(name, { unit, description }).addCallback((result) => result.observe(read()));
    };
    const level = (name: string, unit: string, description: string, read: () => number): void => {
      meter.createObservableUpDownCounter(name, { unit, description }).addCallback((result) => result.observe(read()));
    };
    level("http.server.active_requests", "{request}", "Requests with spans that are under way", () =>
      observed.active(),
    );
    counter("trajectory.serve.spans.received", "{span}", "Spans that could be read", () => observed.received().spans);
    counter(
      "trajectory.serve.spans.rejected",
      "{span}",
      "Spans that were not taken",
      () => observed.received().rejected,
    );
    counter("trajectory.serve.connections.dropped", "{connection}", "Connections beyond the limit", () =>
      observed.droppedConnections(),
    );
    level("trajectory.serve.results.waiting", "{result}", "Results that wait to be exported", () => observed.waiting());
    counter("trajectory.serve.results.lost", "{result}", "Results that could not be exported", () => observed.lost());
  }

  answered({ method, route, status, seconds }: AnsweredRequest): void {
    this.#duration.record(seconds, {
      "http.request.method": method,
      "http.response.status_code": status,
      ...(route === "" ? {} : { "http.route": route }),
    });
    // Calls over gRPC are counted by their own codes.
    if (route === "/v1/traces" && status >= 400) this.#refused.add(1, { "http.response.status_code": status });
  }

  /** A call over gRPC was answered with this code. */
  called(code: number): void {
    if (code !== 0) this.#refused.add(1, { "rpc.grpc.status_code": code });
  }
}
