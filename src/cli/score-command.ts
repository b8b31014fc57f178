import { fromRules } from "../expectation/from-rules.ts";
import { createResolver, type Resolver } from "../expectation/resolve.ts";
import type { Evaluation } from "../model/evaluation.ts";
import type { Scorer } from "../model/scorer.ts";
import type { TrajectoryOptions } from "../model/trajectory.ts";
import { evaluate } from "../pipeline/evaluate.ts";
import type { ResolvedEngineOptions } from "../pipeline/options.ts";
import { hostRuntime } from "../pipeline/timers.ts";
import { renderDiff } from "../report/diff-text.ts";
import { type ReportEntry, scoreText } from "../report/report.ts";
import { Collector } from "./collect.ts";
import type { Unread } from "./complaints.ts";
import { loadSettings } from "./config.ts";
import { FOLLOW_DEFAULTS, follow } from "./follow-command.ts";
import { type GateOptions, judge, MetricTally, type Verdict } from "./gate.ts";
import { readInput } from "./input.ts";
import { type Io, print, printable, UsageError, wantsColor } from "./io.ts";
import { loadRules } from "./load-rules.ts";
import { entryOf, REPORTS, reportOf } from "./report-of.ts";
import { RowWriter, type ScoreFormat } from "./row-writer.ts";
import { type ScoreRow, scoreRow } from "./rows.ts";
import { notScored, scoreTable, summaryTable, verdictText } from "./tables.ts";

export interface ScoreOptions extends GateOptions {
  readonly expectations?: string | undefined;
  readonly config?: string | undefined;
  readonly scorers?: readonly string[] | undefined;
  readonly unit?: "trajectory" | "session" | undefined;
  readonly format: ScoreFormat;
  /** The table is followed by the alignment of each result that is not perfect. */
  readonly diff: boolean;
  readonly trajectory: TrajectoryOptions;
  readonly perFile: boolean;
  readonly quiet: boolean;
  /** Scores what is written to the files as it comes. */
  readonly follow: boolean;
  /** With `follow`: a trace is finished when it has been quiet for so many seconds. */
  readonly idle?: number | undefined;
}

/** `score FILE…`: scores each unit and judges the run. */
export async function scoreCommand(files: readonly string[], options: ScoreOptions, io: Io): Promise<number> {
  // Everything that can be wrong about the call is found before the first byte of input is read.
  if (options.diff && options.format !== "table") throw new UsageError("--diff: goes with --format table");
  const defaults = options.follow ? FOLLOW_DEFAULTS : undefined;
  const settings = await loadSettings({ ...options, cwd: io.cwd, defaults });
  const rules = options.expectations === undefined ? [] : await loadRules(options.expectations, io.cwd);
  const attributes = rules.flatMap((rule) => Object.keys(rule.match?.attributes ?? {}));
  const resolver = createResolver({ sources: [fromRules(rules, options.expectations ?? "expectations")] });
  if (options.follow) {
    const engine = engineFor(options, settings.engine);
    return follow({ files, engine, resolver, attributes, quiet: options.quiet }, io);
  }
  const collector = new Collector({ trajectory: settings.trajectory, perFile: options.perFile, attributes });
  const unread = await readInput(files, (file) => collector.takerOf(file), io, options.quiet);

  const ruleUnits = new Set(rules.map((rule) => rule.unit ?? "trajectory"));
  const tallies = new Map(
    settings.scorers.map((scorer) => [
      scorer,
      new MetricTally(scorer.metric_name, scorer.units, ruleUnits, meanName(scorer)),
    ]),
  );
  const evaluations = tallied(evaluateAll(collector, settings.scorers, resolver), tallies);
  const run = { evaluations, tallies: [...tallies.values()], unread, options, io };
  const verdict = await printed(run);
  return verdict.failures.length === 0 ? 0 : 1;
}

/** @throws UsageError for what only a run with an end has */
function engineFor(options: ScoreOptions, engine: ResolvedEngineOptions): ResolvedEngineOptions {
  const { format, failUnder, strict, diff, perFile, idle } = options;
  // The table is what nobody asked for.
  if (format !== "table" && format !== "jsonl") throw new UsageError("--follow: prints rows, --format jsonl");
  const named = { "--fail-under": failUnder !== undefined, "--strict": strict, "--diff": diff, "--per-file": perFile };
  for (const [flag, given] of Object.entries(named)) {
    if (given) throw new UsageError(`--follow: has no end to be judged by, so that it goes without ${flag}`);
  }
  if (idle === undefined) return engine;
  return { ...engine, limits: { ...engine.limits, idleMillis: Math.round(idle * 1_000) } };
}

/** A run that is being printed. The tallies are complete once the evaluations have been read. */
interface Run {
  readonly evaluations: AsyncIterable<AgentEvaluation>;
  readonly tallies: readonly MetricTally[];
  readonly unread: Unread;
  readonly options: ScoreOptions;
  readonly io: Io;
}

interface AgentEvaluation {
  readonly evaluation: Evaluation;
  /** Name of the entry agent; empty when there is none. */
  readonly agent: string;
}

async function printed(run: Run): Promise<Verdict> {
  const { format } = run.options;
  switch (format) {
    case "table":
      return printTable(run);
    case "json":
    case "jsonl":
      return printRows(run, format);
    default:
      return printReport(run, format);
  }
}

async function printTable({ evaluations, tallies, unread, options, io }: Run): Promise<Verdict> {
  const rows: ScoreRow[] = [];
  const diffs: string[] = [];
  const color = wantsColor(io);
  for await (const { evaluation } of evaluations) {
    if (options.quiet) continue;
    rows.push(scoreRow(evaluation));
    if (options.diff) diffs.push(diffText(evaluation, color));
  }
  const verdict = judge(tallies, options, unread);
  const results = options.quiet ? [] : [scoreTable(rows), ...diffs.filter((diff) => diff !== "")];
  await print(io.stdout, [...results, summaryTable(tallies), verdictText(verdict, options)].join("\n"));
  return verdict;
}

/** The alignment of a result that is not perfect; empty for the others. */
function diffText({ occurrence, scorer, result }: Evaluation, color: boolean): string {
  if (result.status !== "scored" || result.score === 1) return "";
  const diff = renderDiff(result, { groups: true, color });
  return diff === "" ? "" : `${printable(occurrence.unit_id)}: ${scorer.metric_name}\n${diff}\n`;
}

async function printRows(
  { evaluations, tallies, unread, options, io }: Run,
  format: "json" | "jsonl",
): Promise<Verdict> {
  const writer = new RowWriter(io.stdout, format);
  for await (const { evaluation } of evaluations) await writer.write(scoreRow(evaluation));
  await writer.end();
  const verdict = judge(tallies, options, unread);
  if (!options.quiet) for (const tally of tallies) sayMean(tally, io);
  say(verdict, options, io);
  return verdict;
}

/** ADK's name for the mean of exact matches. */
function meanName({ name }: Scorer): string | undefined {
  return name === "agent.exact_match" ? "tool_trajectory_avg" : undefined;
}

/** Rows have no place for what is said of a run. */
function sayMean(tally: MetricTally, io: Io): void {
  if (tally.mean_name === undefined) return;
  const mean = tally.mean === undefined ? "nothing scored" : scoreText(tally.mean);
  io.stderr.write(
    `otel-trajectory: ${tally.mean_name}: ${mean} (${tally.scored} scored; not scored: ${notScored(tally)})\n`,
  );
}

async function printReport(
  { evaluations, tallies, unread, options, io }: Run,
  format: keyof typeof REPORTS,
): Promise<Verdict> {
  const entries: ReportEntry[] = [];
  for await (const { evaluation, agent } of evaluations) entries.push(entryOf(evaluation, agent, options));
  const verdict = judge(tallies, options, unread);
  await print(io.stdout, REPORTS[format](reportOf(entries, tallies, verdict, options)));
  say(verdict, options, io);
  return verdict;
}

/** Rows or the report alone go to standard output, so that it stays readable for programs. */
function say(verdict: Verdict, options: ScoreOptions, io: Io): void {
  const notes = options.quiet ? [] : verdict.notes.map((note) => `note: ${note}`);
  for (const line of [...notes, ...verdict.failures.map((failure) => `FAILED: ${failure}`)]) {
    io.stderr.write(`otel-trajectory: ${printable(line)}\n`);
  }
}

async function* tallied(
  evaluations: AsyncIterable<AgentEvaluation>,
  tallies: ReadonlyMap<Scorer, MetricTally>,
): AsyncGenerator<AgentEvaluation> {
  for await (const item of evaluations) {
    tallies.get(item.evaluation.scorer)?.add(item.evaluation);
    yield item;
  }
}

async function* evaluateAll(
  collector: Collector,
  scorers: readonly Scorer[],
  resolver: Resolver,
): AsyncGenerator<AgentEvaluation> {
  const kinds = new Set(scorers.flatMap((scorer) => scorer.units));
  const members = kinds.has("call") || scorers.some((scorer) => scorer.needs_members === true);
  for (const { unit, occurrence, request } of collector.units(kinds, members)) {
    for (const scorer of scorers) {
      if (!scorer.units.includes(unit.unit)) continue;
      const evaluation = await evaluate(occurrence, request, scorer, { resolver, runtime: hostRuntime });
      yield { evaluation, agent: unit.agent ?? "" };
    }
  }
}
