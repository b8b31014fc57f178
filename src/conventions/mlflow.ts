import type { SpanView } from "../model/span.ts";
import { own } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE, type Verdict } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// MLflow Tracing. Values are JSON, so that the type may arrive in quotes.
// Source: mlflow/mlflow libs/typescript/core/src/core/constants.ts, mlflow/tracing/constant.py.
//
// | key                  | meaning                                                              |
// | -------------------- | -------------------------------------------------------------------- |
// | mlflow.spanType      | kind, by the table below; `CHAIN` and `UNKNOWN` say nothing          |
// | span name            | the tool's or agent's name                                           |
// | mlflow.spanInputs    | TOOL: arguments                                                      |
// | mlflow.spanOutputs   | LLM: the answer                                                      |
// | mlflow.trace.session | session (session-keys.ts)                                            |

const TYPE = "mlflow.spanType";

const TYPES: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ["TOOL", "TOOL"],
  ["AGENT", "AGENT"],
  ["LLM", "LLM"],
  ["CHAT_MODEL", "LLM"],
  ["RETRIEVER", "NONE"],
  ["PARSER", "NONE"],
  ["EMBEDDING", "NONE"],
  ["RERANKER", "NONE"],
  ["MEMORY", "NONE"],
]);

/** MLflow. */
export const mlflow: Convention = {
  name: "mlflow",
  markers: [TYPE],
  content: ["mlflow.spanInputs", "mlflow.spanOutputs"],
  rules: [{ precedence: PRECEDENCE.rare, decide: kindOf }],
  tool: ({ attributes }, keep) => ({ args: keep(own(attributes, "mlflow.spanInputs")) }),
  outputs: outputsOf,
};

function kindOf({ attributes }: SpanView): Verdict | undefined {
  const type = own(attributes, TYPE);
  if (typeof type !== "string") return undefined;
  return TYPES.get(type.startsWith('"') && type.endsWith('"') ? type.slice(1, -1) : type);
}

function outputsOf({ attributes }: SpanView, keep: KeepContent): readonly OutputSource[] {
  const source = wholeOutput(own(attributes, "mlflow.spanOutputs"), keep);
  return source === undefined ? [] : [source];
}
