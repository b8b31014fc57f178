import type { MeterProvider, ObservableResult } from "@opentelemetry/api";
import { SCOPE_NAME, VERSION } from "../model/version.ts";
import type { Counts } from "./feeds.ts";
import type { Partition } from "./partition.ts";

/** What is looked at when somebody collects. */
export interface Observed {
  readonly counts: Counts;
  partitions(): Iterable<Partition>;
  deadLetters(): number;
  replayed(): number;
  waiting(): number;
  lost(): number;
}

/** Metrics of `consume` itself, beside those of the results; attributes under OpenTelemetry's names for messaging. */
export function observeConsumer(provider: MeterProvider, observed: Observed): void {
  const meter = provider.getMeter(SCOPE_NAME, VERSION);
  const counter = (name: string, unit: string, description: string, read: () => number): void => {
    meter
      .createObservableCounter(`trajectory.consume.${name}`, { unit, description })
      .addCallback((result) => result.observe(read()));
  };
  const level = (name: string, unit: string, description: string, read: (result: ObservableResult) => void): void => {
    meter.createObservableGauge(`trajectory.consume.${name}`, { unit, description }).addCallback(read);
  };
  const perPartition =
    (read: (partition: Partition) => number) =>
    (result: ObservableResult): void => {
      for (const partition of observed.partitions()) {
        result.observe(read(partition), {
          "messaging.destination.name": partition.place.topic,
          "messaging.destination.partition.id": `${partition.place.partition}`,
        });
      }
    };
  const { counts } = observed;
  counter("records", "{record}", "Records that were read", () => counts.records);
  counter("spans", "{span}", "Spans that were read", () => counts.spans);
  counter("spans.rejected", "{span}", "Spans that could not be used", () => counts.rejected);
  counter("dead_letters", "{record}", "Records that could not be read and were put away", () => observed.deadLetters());
  counter("duplicates", "{trace}", "Traces that had come to their session before", () => counts.duplicates);
  counter("units.replayed", "{unit}", "Traces and sessions that were over, and were followed again unsaid", () =>
    observed.replayed(),
  );
  counter("results.lost", "{result}", "Results that were refused for good", () => observed.lost());
  level(
    "results.waiting",
    "{result}",
    "Results that wait to be exported, and traces that wait to be written to the session topic",
    (result) => result.observe(observed.waiting()),
  );
  level(
    "lag",
    "{record}",
    "Records of a partition that have not been read",
    perPartition(({ end, ledger }) => Math.max(0, end - ledger.next)),
  );
  level(
    "lag.committed",
    "{record}",
    "Records of a partition that have been read and not been committed",
    perPartition(({ ledger, committed }) => Math.max(0, ledger.next - (committed?.offset ?? ledger.start))),
  );
  level(
    "units.open",
    "{unit}",
    "Units of a partition that hold its offset back",
    perPartition(({ ledger }) => ledger.openCount),
  );
}
