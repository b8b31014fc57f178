// How the examples show evaluation events.

/** Prints one evaluation event: name, score, label, and the path where expected and actual differ. */
export function printEvent(event) {
  const value = event.attributes["gen_ai.evaluation.score.value"];
  const label =
    event.attributes["gen_ai.evaluation.score.label"] ?? event.attributes["trajectory.evaluation.reason"] ?? "";
  const score = value === undefined ? "not scored" : Number(value).toFixed(2);
  console.log(`  ${String(event.attributes["gen_ai.evaluation.name"]).padEnd(24)} ${score}  ${label}`);
  const explanation = event.attributes["gen_ai.evaluation.explanation"];
  if (typeof explanation !== "string") return;
  for (const line of explanation.trimEnd().split("\n")) console.log(`      ${line}`);
}

/** Prints the attributes that the processor put on a span. */
export function printScoresOf(span) {
  for (const [key, value] of Object.entries(span.attributes)) {
    if (key.startsWith("trajectory.")) console.log(`  ${key.padEnd(48)} ${value}`);
  }
}
