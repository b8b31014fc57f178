import { createSpanReader } from "../conventions/read-span.ts";
import type { Explanation } from "../model/explanation.ts";
import type { SpanFacts } from "../model/span.ts";
import type { TrajectoryOptions } from "../model/trajectory.ts";
import { renderExplanation } from "../report/explain-text.ts";
import { explainTrace } from "../trajectory/explain.ts";
import type { SpanTaker } from "../wire/from-otlp-json.ts";
import { readInput } from "./input.ts";
import { type Io, print } from "./io.ts";
import type { Format } from "./row-writer.ts";

export interface ExplainCommandOptions {
  readonly format: Format;
  readonly trajectory: TrajectoryOptions;
  readonly perFile: boolean;
  readonly quiet: boolean;
}

/** `steps --explain FILE…`: for every span of every trace, why it is the step that it is, or none. */
export async function explainCommand(
  files: readonly string[],
  options: ExplainCommandOptions,
  io: Io,
): Promise<number> {
  const traces = new Traces(options.perFile);
  await readInput(files, (file) => traces.takerOf(file), io, options.quiet);
  let first = true;
  if (options.format === "json") await print(io.stdout, "[");
  for (const spans of traces.all()) {
    await print(io.stdout, shown(explainTrace(spans, options.trajectory), options.format, first));
    first = false;
  }
  if (options.format === "json") await print(io.stdout, "\n]\n");
  return 0;
}

function shown(explanation: Explanation, format: Format, first: boolean): string {
  if (format === "table") return `${first ? "" : "\n"}${renderExplanation(explanation)}`;
  const json = JSON.stringify(explanation, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  return format === "json" ? `${first ? "" : ","}\n${json}` : `${json}\n`;
}

/** The spans of every trace, telemetry of the evaluation among them. */
class Traces {
  readonly #reader = createSpanReader({ keepAttributes: "none" });
  readonly #perFile: boolean;
  readonly #traces = new Map<string, SpanFacts[]>();
  #seq = 0;

  constructor(perFile: boolean) {
    this.#perFile = perFile;
  }

  takerOf(file: number): SpanTaker {
    return {
      take: (view) => {
        const key = this.#perFile ? `${file}/${view.trace_id}` : view.trace_id;
        const facts = this.#reader.read(view, this.#seq);
        this.#seq += 1;
        const held = this.#traces.get(key);
        if (held === undefined) this.#traces.set(key, [facts]);
        else held.push(facts);
      },
    };
  }

  all(): Iterable<readonly SpanFacts[]> {
    return this.#traces.values();
  }
}
