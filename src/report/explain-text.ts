import type { Explanation, SpanExplanation, SpanReason } from "../model/explanation.ts";
import type { Step } from "../model/trajectory.ts";
import { quotedIfBlank, shortLine } from "./one-line.ts";

/** Longest name shown of a span, its indentation included. */
const NAME_WIDTH = 56;
const ID_LENGTH = 8;

/**
 * An explanation as text for people: what the trace amounts to, then every span as a tree, with the step that it is,
 * who read it and why. Deterministic; one line per span; control characters are escaped.
 */
export function renderExplanation(explanation: Explanation): string {
  const { spans } = explanation;
  const names = new Map(spans.map((span) => [span.span_id, span]));
  const rows = spans.map((span) => [
    span.steps.length === 0 ? "-" : ranges(span.steps),
    span.kind ?? "-",
    shortLine(`${"  ".repeat(Math.min(span.depth, 20))}${span.name}`, NAME_WIDTH),
    span.convention === "none" ? "-" : shortLine(span.convention, 24),
    why(span, names),
  ]);
  const table = alignedTable(["step", "kind", "span", "read by", "why"], rows);
  return `${summary(explanation).join("\n")}\n\n${table}${footnote(explanation)}`;
}

function summary(explanation: Explanation): readonly string[] {
  const { options, steps, tools, unread, incomplete } = explanation;
  const lines = [`trace       ${shortLine(explanation.trace_id)}`];
  if (explanation.session_id !== undefined) lines.push(`session     ${shortLine(explanation.session_id)}`);
  if (explanation.entry_agent !== undefined) lines.push(`entry agent ${shortLine(explanation.entry_agent)}`);
  lines.push(`steps       ${listed(steps)}`);
  lines.push(`tools       ${sameNames(steps, tools) ? "the same" : listed(tools)}`);
  if (unread.length > 0)
    lines.push(`unread      ${unread.join(", ")}: tools were called, and the spans do not show which`);
  if (incomplete.length > 0) lines.push(`incomplete  ${incomplete.join(", ")}`);
  const { root, delegations, failedCalls } = options;
  lines.push(`options     root ${root}, delegations ${delegations}, failed calls ${failedCalls}`);
  return lines;
}

function listed(steps: readonly Step[]): string {
  if (steps.length === 0) return "(none)";
  return steps.map((step, index) => `${index + 1} ${nameOf(step)}`).join("  ");
}

function nameOf(step: Step): string {
  const name = quotedIfBlank(shortLine(step.name, 80));
  return `${step.kind === "AGENT" ? `[${name}]` : name}${step.failed === true ? " (failed)" : ""}`;
}

function sameNames(steps: readonly Step[], tools: readonly Step[]): boolean {
  if (steps.length === 0 || steps.length !== tools.length) return false;
  return steps.every((step, index) => step.kind === "TOOL" && step.name === tools[index]?.name);
}

/** `step 1`, `steps 2-4`. */
function places(word: string, numbers: readonly number[]): string {
  return `${word}${numbers.length === 1 ? "" : "s"} ${ranges(numbers)}`;
}

/** `1`, `2-4`, `1, 3`. */
function ranges(places: readonly number[]): string {
  const parts: string[] = [];
  for (let from = 0; from < places.length; ) {
    let to = from;
    while (places[to + 1] === (places[to] ?? 0) + 1) to += 1;
    parts.push(from === to ? String(places[from]) : `${places[from]}-${places[to]}`);
    from = to + 1;
  }
  return parts.join(", ");
}

const TEXTS: Readonly<Record<Exclude<SpanReason, "step" | "calls_are_steps">, string>> = {
  model_call: "a model call; the steps have spans of their own",
  no_calls: "a model call that asked for no tool",
  calls_not_recorded: "a model call that called tools, and does not show which",
  same_model_call: "the same model call as OF",
  no_kind: "no convention gives it a kind",
  no_act: "bookkeeping or a wrapper: no act",
  unreadable: "its attributes cannot be read",
  entry_agent: "the agent that owns the trace: no step of its own trajectory",
  stood_for: "the same agent as OF, which owns the trace",
  stands_for: "names no agent; stands for OF",
  trace_root: "the root of the trace",
  echo: "another record of the call that OF shows",
  same_agent: "the same agent as OF around it",
  nameless_agent: "names no agent; OF around it names the act",
  delegation: "starts the agent OF: one step with it, in the tool list",
  hand_off: "hands over to OF, which is the step",
  failed_ignored: "it failed, and failed calls are ignored",
  failed_retried: "it failed, and OF tried again",
  duplicate_id: "a span with this id came before",
  own_telemetry: "telemetry of the evaluation itself",
};

function why(span: SpanExplanation, spans: ReadonlyMap<string, SpanExplanation>): string {
  if (span.reason === "step")
    return `${places("step", span.steps)}: ${quotedIfBlank(shortLine(span.read_as ?? span.name, 80))}${failure(span)}`;
  if (span.reason === "calls_are_steps") {
    return span.steps.length > 0
      ? `no span shows what was called: its calls are ${places("step", span.steps)}`
      : `no tool has a span: its calls are ${places("place", span.tools)} of the tool list`;
  }
  return TEXTS[span.reason].replace("OF", () => reference(span.of, spans)) + failure(span);
}

function failure(span: SpanExplanation): string {
  return span.failed === true && !span.reason.startsWith("failed_") ? " (failed)" : "";
}

/** The span that a reason refers to, so that it can be found in the table. */
function reference(id: string | undefined, spans: ReadonlyMap<string, SpanExplanation>): string {
  const span = id === undefined ? undefined : spans.get(id);
  if (span === undefined) return "another span";
  const name = shortLine(span.read_as ?? span.name, 60);
  return span.steps.length > 0
    ? `"${name}" (${places("step", span.steps)})`
    : `"${name}" (${span.span_id.slice(0, ID_LENGTH)})`;
}

function footnote({ spans, let_go }: Explanation): string {
  const total = `${spans.length} ${spans.length === 1 ? "span" : "spans"}`;
  if (let_go === 0) return `\n${total}\n`;
  return `\n${total}, and ${let_go} of no kind and without children, let go when they ended\n`;
}

function alignedTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    rows.reduce((width, row) => Math.max(width, (row[column] ?? "").length), title.length),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padStart(widths[0] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ");
  return [head, ...rows].map((cells) => `${line(cells).trimEnd()}\n`).join("");
}
