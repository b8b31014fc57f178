// What the demo shows. Imported only after the build, since it runs the built package.
import { TrajectorySpanProcessor } from "otel-trajectory";
import { GOOD_PATH, LUCKY_PATH, supportAgent } from "../../examples/support/support-agent.mjs";
import { startTelemetry } from "../../examples/support/telemetry.mjs";

const PROMPT = "Please refund order 1042.";
const STEP = "step_accuracy";

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code, text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
const bold = (text) => paint("1", text);
const green = (text) => paint("32", text);
const red = (text) => paint("31", text);
const dim = (text) => paint("2", text);

/** Runs the agent twice and prints both runs. Returns whether the scores told the two apart. */
export async function showDemo() {
  const trajectory = new TrajectorySpanProcessor({
    expectations: [
      {
        id: "refund",
        match: { agent: "support_agent" },
        status: "approved",
        expected_steps: ["authenticate", ["fetch_order", "fetch_policy"], "issue_refund"],
        expected_tools: ["authenticate", "fetch_order", "fetch_policy", "issue_refund"],
      },
    ],
  });
  const telemetry = startTelemetry(trajectory);
  console.log(`
${bold("A support agent is asked twice:")} "${PROMPT}"
${dim("It is a real Vercel AI SDK agent with the SDK's own OpenTelemetry spans. Only the model is scripted, so this needs")}
${dim("no key and no network. One SpanProcessor, otel-trajectory, listens, and was told what a refund should look like:")}

    authenticate  →  fetch_order and fetch_policy, in either order  →  issue_refund
`);
  const good = await oneRun("Run 1, a good run", GOOD_PATH, trajectory, telemetry);
  const lucky = await oneRun("Run 2, a lucky run", LUCKY_PATH, trajectory, telemetry);
  await telemetry.stop();
  return verdict(good, lucky);
}

async function oneRun(title, path, trajectory, telemetry) {
  const before = telemetry.events().length;
  const answer = await supportAgent(PROMPT, { path });
  await trajectory.drain();
  const events = telemetry.events().slice(before);
  console.log(bold(title));
  console.log(`  the agent's answer   ${answer}`);
  for (const event of events) {
    const score = event.attributes["gen_ai.evaluation.score.value"];
    const name = event.attributes["gen_ai.evaluation.name"];
    console.log(`  ${name.padEnd(24)} ${scoreText(score)}`);
    if (name === STEP) showDiff(String(event.attributes["gen_ai.evaluation.explanation"] ?? ""));
  }
  console.log("");
  const step = events.find((event) => event.attributes["gen_ai.evaluation.name"] === STEP);
  return { answer, score: step?.attributes["gen_ai.evaluation.score.value"] };
}

function scoreText(score) {
  if (typeof score !== "number") return red("no score");
  return (score === 1 ? green : red)(score.toFixed(2));
}

function showDiff(explanation) {
  for (const line of explanation.trimEnd().split("\n"))
    console.log(`      ${line.startsWith("!!") ? red(line) : dim(line)}`);
}

function verdict(good, lucky) {
  const told = good.answer === lucky.answer && good.score === 1 && typeof lucky.score === "number" && lucky.score < 1;
  if (!told) {
    console.log(red(`The demo did not come out as it should: scores ${good.score} and ${lucky.score}.`));
    return false;
  }
  console.log(`${bold("Verdict:")} the two answers are equal to the letter, so a check of answers sees no difference.
The paths are not: the lucky run paid out without asking who the customer is or what the policy says.
Scores ${green(good.score.toFixed(2))} and ${red(lucky.score.toFixed(2))}. ${dim("Lines that start with !! are where the path left what was expected.")}
The same numbers left as gen_ai.evaluation.result events, as metrics, and on the root spans.`);
  return true;
}
