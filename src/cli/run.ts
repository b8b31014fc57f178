import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { messageOf } from "../model/errors.ts";
import type { TrajectoryOptions } from "../model/trajectory.ts";
import { VERSION } from "../model/version.ts";
import { agreeCommand } from "./agree-command.ts";
import { type ConsumeOptions, consumeCommand, ENCODINGS, MECHANISMS, STAGES } from "./consume-command.ts";
import { type Io, inOneLine, printable, UsageError } from "./io.ts";
import { manifestCommand } from "./manifest-command.ts";
import { recordCommand } from "./record-command.ts";
import { FORMATS, type Format, SCORE_FORMATS, type ScoreFormat } from "./row-writer.ts";
import { scoreCommand } from "./score-command.ts";
import { type ServeOptions, serveCommand } from "./serve-command.ts";
import { OUTPUTS, type ServiceOutput } from "./service-settings.ts";
import { stepsCommand } from "./steps-command.ts";

/**
 * Runs the command. `argv` holds the arguments alone.
 *
 * @returns 0 all well, 1 a gate failed, 2 unusable input or usage
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  try {
    // Dashes alone end the options and name no command.
    if (argv.every((argument) => argument === "--"))
      throw new UsageError("expected a command: steps, score, record, agree, manifest, serve or consume (see --help)");
    await program(io, (result) => {
      code = result;
    }).parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.stderr.write(`otel-trajectory: ${printable(inOneLine(messageOf(error)))}\n`);
    return 2;
  }
}

interface InputFlags {
  readonly unit?: "trajectory" | "session";
  readonly root?: TrajectoryOptions["root"];
  readonly delegations?: TrajectoryOptions["delegations"];
  readonly failedCalls?: TrajectoryOptions["failedCalls"];
  readonly perFile?: boolean;
  readonly quiet?: boolean;
}

interface ScoreFlags extends InputFlags {
  readonly expectations?: string;
  readonly config?: string;
  readonly scorers?: readonly string[];
  readonly format: ScoreFormat;
  readonly diff?: boolean;
  readonly failUnder?: number;
  readonly strict?: boolean;
  readonly follow?: boolean;
  readonly idle?: number;
}

interface RecordFlags extends InputFlags {
  readonly caseAttribute?: string;
  readonly output?: string;
}

function program(io: Io, done: (code: number) => void): Command {
  const root = new Command("otel-trajectory")
    .description("Scores the path that AI agents took, from files of spans or as their spans come.")
    .version(VERSION)
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) =>
        write(`otel-trajectory: ${printable(inOneLine(text.trim().replace(/^error: /, "")))}\n`),
    });
  inputCommand(root, "steps", "Print the steps that each unit took.")
    .addOption(formatOption("rows as a table, one array, or one a line (default: table on a terminal, else jsonl)"))
    .option("--explain", "say of every span of every trace why it is a step, or none")
    .action(async (files: string[], flags: InputFlags & { readonly format?: Format; readonly explain?: boolean }) => {
      done(await stepsCommand(files, { ...flags, ...common(flags), explain: flags.explain === true }, io));
    });
  inputCommand(root, "score", "Score the steps that each unit took against what was expected.")
    .option("--expectations <file>", "expectations, YAML or JSON")
    .option("--scorers <names>", "scorers to run, separated by commas", names)
    .option("--config <file>", "configuration of scorers and trajectories, YAML or JSON")
    .addOption(formatOption("report, or rows as one array or one a line", SCORE_FORMATS).default("table"))
    .option("--diff", "after the table, the alignment of each result below 1")
    .option("--fail-under <mean>", "fail when a metric's mean under approved expectations is lower", ratio)
    .option("--strict", "fail when a unit has no usable expectation")
    .option("--follow", "score what is written to the files as it comes, rows one a line, until a signal")
    .option(
      "--idle <seconds>",
      "with --follow: a trace is finished when it was quiet for so long (default: 30)",
      seconds,
    )
    .action(async (files: string[], flags: ScoreFlags) => {
      const gates = { failUnder: flags.failUnder, strict: flags.strict === true };
      const how = { diff: flags.diff === true, follow: flags.follow === true };
      if (flags.idle !== undefined && !how.follow) throw new UsageError("--idle: only with --follow");
      done(await scoreCommand(files, { ...flags, ...common(flags), ...gates, ...how }, io));
    });
  inputCommand(root, "record", "Write an expectations file that the observed runs follow, to be reviewed.")
    .option(
      "--case-attribute <key>",
      "runs with one value of this attribute are one case (default: agent and root span)",
    )
    .option("--output <file>", "a new file to write to (default: standard output)")
    .action(async (files: string[], flags: RecordFlags) => {
      done(await recordCommand(files, { ...flags, ...common(flags) }, io));
    });
  root
    .command("agree")
    .description("Compare the labels of a judge with those of people.")
    .argument("<file>", "rows of unit_id, judge, human: CSV, a JSON array, or JSON one a line; - is standard input")
    .addOption(formatOption("table, or one JSON object", ["table", "json"]).default("table"))
    .option("--quiet", "no remarks")
    .action(async (file: string, flags: { readonly format: "table" | "json"; readonly quiet?: boolean }) => {
      done(await agreeCommand(file, { format: flags.format, quiet: flags.quiet === true }, io));
    });
  root
    .command("manifest")
    .description("Print the manifest of a scorer, or of all.")
    .argument("[name]", "for example agent.step_accuracy")
    .action(async (name: string | undefined) => done(await manifestCommand(name, io)));
  serviceCommand(root, "serve", "Take spans over OTLP/HTTP and score them as they come.")
    .option("--host <host>", "address to listen at", "127.0.0.1")
    .option("--port <port>", "port to listen at; 0 is any", port, 4318)
    .option("--grpc-port <port>", "port for OTLP/gRPC as well; 0 is any", port)
    .option("--token-file <file>", "the bearer token that requests must bring (or TRAJECTORY_TOKEN)")
    .option("--tls-cert <file>", "certificate, PEM")
    .option("--tls-key <file>", "its key, PEM")
    .action(async (flags: ServeFlags) => {
      done(await serveCommand({ ...flags, trajectory: common(flags).trajectory }, io));
    });
  serviceCommand(root, "consume", "Take spans from Kafka and score them as they come.")
    .requiredOption("--brokers <host:port...>", "brokers to begin with, separated by commas")
    .option("--topic <name...>", "topics of spans, as the Collector's Kafka exporter writes them", [] as string[])
    .addOption(choice("--encoding <how>", "how spans are written; auto tells each record", ENCODINGS).default("auto"))
    .option("--group <id>", "consumer group; that of sessions has -sessions after it", "otel-trajectory")
    .option("--session-topic <name>", "topic of finished traces, by session", "otel-trajectory-sessions")
    .option("--dead-letter-topic <name>", "for records that cannot be read (default: <topic>.dead-letter)")
    .addOption(choice("--stage <what>", "what this process scores", STAGES).default("both"))
    .addOption(choice("--from <where>", "where a new group begins", ["earliest", "latest"]).default("earliest"))
    .option("--tls", "TLS to the brokers")
    .option("--tls-ca <file>", "whom to trust with that, PEM")
    .option("--tls-cert <file>", "certificate to show the brokers, PEM")
    .option("--tls-key <file>", "its key, PEM")
    .addOption(
      choice("--sasl <mechanism>", "credentials from KAFKA_SASL_USERNAME and _PASSWORD, or _TOKEN", MECHANISMS),
    )
    .option("--host <host>", "address for health, readiness and metrics", "127.0.0.1")
    .option("--port <port>", "port for those; 0 is any", port, 9464)
    .option("--token-file <file>", "the bearer token that requests for metrics must bring (or TRAJECTORY_TOKEN)")
    .action(async (flags: ConsumeFlags) => {
      done(await consumeCommand({ ...flags, trajectory: common(flags).trajectory }, io));
    });
  return root;
}

type Flags<O> = InputFlags & Omit<O, "trajectory" | "output"> & { readonly output: readonly ServiceOutput[] };
type ServeFlags = Flags<ServeOptions>;
type ConsumeFlags = Flags<ConsumeOptions>;

function serviceCommand(root: Command, name: string, description: string): Command {
  return withTrajectoryOptions(root.command(name).description(description))
    .option("--expectations <file>", "expectations, YAML or JSON, followed while the file changes")
    .option("--scorers <names>", "scorers to run, separated by commas", names)
    .option("--config <file>", "configuration of scorers, trajectories and limits, YAML or JSON")
    .addOption(choice("--output <where...>", "where results go", OUTPUTS).default(["otlp"]))
    .option("--spans", "with --output otlp: export an evaluation span for each unit too", false)
    .addOption(choice("--session-id <how>", "how session ids leave", ["plain", "hash"]).default("plain"));
}

function withTrajectoryOptions(command: Command): Command {
  return command
    .addOption(choice("--unit <unit>", "what is looked at", ["trajectory", "session"]))
    .addOption(choice("--root <root>", "what the root of a trace is", ["entry-agent", "trace"]))
    .addOption(choice("--delegations <how>", "tool calls that start an agent", ["same-name", "fold", "keep"]))
    .addOption(choice("--failed-calls <how>", "calls that failed", ["count", "ignore", "collapse"]));
}

function inputCommand(root: Command, name: string, description: string): Command {
  return withTrajectoryOptions(root.command(name).description(description))
    .argument(
      "<files...>",
      "OTLP in JSON or protobuf, Jaeger's JSON, gzip, zstd; folders, patterns; - is standard input",
    )
    .option("--per-file", "one trace in two files is two traces")
    .option("--quiet", "no progress, no remarks");
}

function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
}

function formatOption(description: string, formats: readonly string[] = FORMATS): Option {
  return choice("--format <format>", description, formats);
}

function common(flags: InputFlags): { trajectory: TrajectoryOptions; perFile: boolean; quiet: boolean } {
  const { root, delegations, failedCalls } = flags;
  const trajectory = { root, delegations, failedCalls };
  return { trajectory, perFile: flags.perFile === true, quiet: flags.quiet === true };
}

function names(text: string): string[] {
  const list = text.split(",").map((name) => name.trim());
  if (list.some((name) => name === "")) throw new InvalidArgumentError("Expected names separated by commas.");
  return list;
}

function port(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError("Expected a whole number from 0 to 65535.");
  return value;
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value > 0 && value <= 86_400))
    throw new InvalidArgumentError("Expected seconds, more than 0 and at most 86400.");
  return value;
}

function ratio(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError("Expected a number from 0 to 1.");
  return value;
}
