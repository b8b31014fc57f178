import { fromRules } from "../expectation/from-rules.ts";
import { createResolver, type Resolver } from "../expectation/resolve.ts";
import { loadExpectationFile } from "../files/load.ts";
import type { Evaluation } from "../model/evaluation.ts";
import type { ExpectationRule } from "../model/expectation.ts";
import type { Scorer } from "../model/scorer.ts";
import type { TrajectoryOptions } from "../model/trajectory.ts";
import { evaluate } from "../pipeline/evaluate.ts";
import { hostRuntime } from "../pipeline/timers.ts";
import { Collector } from "./collect.ts";
import { loadSettings } from "./config.ts";
import { type GateOptions, judge, MetricTally, type Verdict } from "./gate.ts";
import { fromFolder, readInput } from "./input.ts";
import { type Io, print, printable, UsageError } from "./io.ts";
import { type Format, RowWriter } from "./row-writer.ts";
import { type ScoreRow, scoreRow } from "./rows.ts";
import { scoreTable, summaryTable, verdictText } from "./tables.ts";

export interface ScoreOptions extends GateOptions {
  readonly expectations?: string | undefined;
  readonly config?: string | undefined;
  readonly scorers?: readonly string[] | undefined;
  readonly unit?: "trajectory" | "session" | undefined;
  readonly format: Format;
  readonly trajectory: TrajectoryOptions;
  readonly perFile: boolean;
  readonly quiet: boolean;
}

/** `score FILE…`: scores each unit and judges the run. */
export async function scoreCommand(files: readonly string[], options: ScoreOptions, io: Io): Promise<number> {
  // Everything that can be wrong about the call is found before the first byte of input is read.
  const settings = await loadSettings({ ...options, cwd: io.cwd });
  const rules = options.expectations === undefined ? [] : await loadRules(options.expectations, io.cwd);
  const keepAttributes = rules.some((rule) => rule.match?.attributes !== undefined);
  const collector = new Collector({ trajectory: settings.trajectory, perFile: options.perFile, keepAttributes });
  await readInput(files, collector, io, options.quiet);

  const resolver = createResolver({ sources: [fromRules(rules, options.expectations ?? "expectations")] });
  const tallies = new Map(settings.scorers.map((scorer) => [scorer, new MetricTally(scorer.metric_name)]));
  const evaluations = evaluateAll(collector, settings.scorers, resolver);
  const verdictOf = (): Verdict => judge([...tallies.values()], options);
  if (options.format === "table") {
    const rows: ScoreRow[] = [];
    for await (const evaluation of evaluations) {
      tallies.get(evaluation.scorer)?.add(evaluation);
      rows.push(scoreRow(evaluation));
    }
    const verdict = verdictOf();
    await print(io.stdout, tableReport(rows, [...tallies.values()], verdict, options));
    return verdict.failures.length === 0 ? 0 : 1;
  }
  const writer = new RowWriter(io.stdout, options.format);
  for await (const evaluation of evaluations) {
    tallies.get(evaluation.scorer)?.add(evaluation);
    await writer.write(scoreRow(evaluation));
  }
  await writer.end();
  const verdict = verdictOf();
  // Rows alone go to standard output, so that it stays readable for programs.
  const notes = options.quiet ? [] : verdict.notes.map((note) => `note: ${note}`);
  for (const line of [...notes, ...verdict.failures.map((failure) => `FAILED: ${failure}`)]) {
    io.stderr.write(`otel-trajectory: ${printable(line)}\n`);
  }
  return verdict.failures.length === 0 ? 0 : 1;
}

function tableReport(
  rows: readonly ScoreRow[],
  tallies: readonly MetricTally[],
  verdict: Verdict,
  options: ScoreOptions,
): string {
  const gated = options.failUnder !== undefined || options.strict;
  const report = [scoreTable(rows), summaryTable(tallies), verdictText(verdict, gated)];
  return (options.quiet ? report.slice(1) : report).join("\n");
}

async function loadRules(file: string, cwd: string): Promise<readonly ExpectationRule[]> {
  const loaded = await loadExpectationFile(fromFolder(cwd, file), file);
  if (loaded.ok) return loaded.rules;
  const more = loaded.problems.length > 1 ? ` (and ${loaded.problems.length - 1} more)` : "";
  throw new UsageError(`${loaded.problems[0] ?? file}${more}`);
}

async function* evaluateAll(
  collector: Collector,
  scorers: readonly Scorer[],
  resolver: Resolver,
): AsyncGenerator<Evaluation> {
  const kinds = new Set<"trajectory" | "session">();
  for (const scorer of scorers) {
    for (const unit of scorer.units) if (unit === "trajectory" || unit === "session") kinds.add(unit);
  }
  for (const { unit, occurrence, request } of collector.units(kinds)) {
    for (const scorer of scorers) {
      if (!scorer.units.includes(unit.unit)) continue;
      yield await evaluate(occurrence, request, scorer, { resolver, runtime: hostRuntime });
    }
  }
}
