// What `otel-trajectory serve` holds: sends it the load of bench/serve.mjs over and over, under new ids, and prints the
// bytes that it counts and the memory that its process takes, for open traces, finished ones and sessions.
//
//   node bench/serve-memory.mjs [passes over 20 MB, default 30]
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { writeOtlpFile } from "./otlp-file.mjs";
import { FOLDER, memoryOf, post } from "./serve-load.mjs";
import { ServeProcess } from "./serve-process.mjs";

const HOUR = 3_600_000;
const passes = Number(process.argv[2] ?? 30);

const ALL = {
  maxTraces: 10_000_000,
  maxFinishedTraces: 10_000_000,
  maxSessions: 10_000_000,
  maxBufferedBytes: 2 ** 31,
};
const SHORT = { idleMillis: 500, lateWindowMillis: 1 };
const STATES = {
  "open traces": { engine: { ...ALL, idleMillis: HOUR, maxTraceMillis: 2 * HOUR } },
  "finished traces": { engine: { ...ALL, idleMillis: 500, lateWindowMillis: HOUR } },
  sessions: {
    engine: { ...ALL, ...SHORT, sessionIdleMillis: HOUR },
    scorers: { step_accuracy: [{ unit: "session" }] },
  },
};

mkdirSync(FOLDER, { recursive: true });
const counts = writeOtlpFile(`${FOLDER}serve-memory.jsonl`, 20e6);
const lines = readFileSync(`${FOLDER}serve-memory.jsonl`, "latin1").trimEnd().split("\n");
const sessions = new Set(lines.flatMap((line) => line.match(/"session-\d+"/g) ?? [])).size;
writeFileSync(`${FOLDER}serve-expectations.yaml`, "expectations: [{ expected_steps: [authenticate, issue_refund] }]\n");

/** The same line with the ids of another pass. */
function renamed(line, pass) {
  const prefix = pass.toString(16).padStart(8, "0");
  return line.replace(/"traceId":"[0-9a-f]{8}/g, `"traceId":"${prefix}`).replaceAll('"session-', `"session-${pass}-`);
}

const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

for (const [state, config] of Object.entries(STATES)) {
  writeFileSync(`${FOLDER}serve-memory.json`, JSON.stringify(config));
  const service = await ServeProcess.start({
    cwd: FOLDER,
    args: ["--config", "serve-memory.json", "--expectations", "serve-expectations.yaml"],
    // A small young generation, so that memory is what is held more than what has yet to be collected.
    nodeArgs: ["--max-old-space-size=4096", "--max-semi-space-size=16"],
  });
  const { pid, port } = service;
  const agent = new Agent({ keepAlive: true });
  const empty = memoryOf(pid, "VmRSS");
  for (let pass = 1; pass <= passes; pass += 1) {
    for (const line of lines) {
      const { status } = await post(port, { type: "application/json" }, Buffer.from(renamed(line, pass)), agent);
      if (status !== 200) throw new Error(`answered with ${status}`);
    }
  }
  await sleep(5_000);
  const bytes = (await service.metrics())("trajectory_bytes_buffered");
  const units = passes * (state === "sessions" ? sessions : counts.traces);
  const resident = memoryOf(pid, "VmRSS");
  const grown = (resident - empty) * 2 ** 20;
  console.log(
    `${state}: ${units} of ${passes * counts.spans} spans and ${passes * counts.steps} steps; ` +
      `${Math.round(bytes / 2 ** 20)} MiB counted, ${Math.round(resident)} MiB resident (${Math.round(empty)} empty): ` +
      `${Math.round(bytes / units)} bytes counted and ${Math.round(grown / units)} resident for each`,
  );
  agent.destroy();
  await service.end("SIGKILL");
}
