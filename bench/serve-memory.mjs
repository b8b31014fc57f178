// What `otel-trajectory serve` holds: sends it the load of bench/serve.mjs over and over, under new ids, and prints the
// bytes that it counts and the memory that its process takes, for open traces, finished ones and sessions.
//
//   node bench/serve-memory.mjs [passes over 20 MB, default 30]
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { writeOtlpFile } from "./otlp-file.mjs";

const FOLDER = fileURLToPath(new URL("../.tmp/", import.meta.url));
const COMMAND = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
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

async function ask(port, method, path, agent, body = "") {
  const asking = request({
    ...{ host: "127.0.0.1", port, method, path, agent },
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
  });
  asking.end(body);
  const response = await new Promise((resolve, reject) => asking.on("response", resolve).on("error", reject));
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text}`);
  return text;
}

const residentMegabytes = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

for (const [state, config] of Object.entries(STATES)) {
  writeFileSync(`${FOLDER}serve-memory.json`, JSON.stringify(config));
  const more = ["--config", "serve-memory.json", "--expectations", "serve-expectations.yaml"];
  const args = [COMMAND, "serve", "--port", "0", "--output", "jsonl", ...more];
  // A small young generation, so that memory is what is held more than what has yet to be collected.
  const heap = ["--max-old-space-size=4096", "--max-semi-space-size=16"];
  const child = spawn(process.execPath, [...heap, ...args], { cwd: FOLDER, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  const port = await new Promise((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      log += chunk;
      const ready = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(log);
      if (ready !== null) resolve(Number(ready[1]));
    });
    child.on("exit", () => reject(new Error(log)));
  });
  const agent = new Agent({ keepAlive: true });
  const empty = residentMegabytes(child.pid);
  for (let pass = 1; pass <= passes; pass += 1) {
    for (const line of lines) await ask(port, "POST", "/v1/traces", agent, renamed(line, pass));
  }
  await sleep(5_000);
  const metrics = await ask(port, "GET", "/metrics", agent);
  const bytes = Number(/^trajectory_bytes_buffered\S* (\d+)/m.exec(metrics)[1]);
  const units = passes * (state === "sessions" ? sessions : counts.traces);
  const resident = residentMegabytes(child.pid);
  const grown = (resident - empty) * 2 ** 20;
  console.log(
    `${state}: ${units} of ${passes * counts.spans} spans and ${passes * counts.steps} steps; ` +
      `${Math.round(bytes / 2 ** 20)} MiB counted, ${Math.round(resident)} MiB resident (${Math.round(empty)} empty): ` +
      `${Math.round(bytes / units)} bytes counted and ${Math.round(grown / units)} resident for each`,
  );
  agent.destroy();
  child.kill("SIGKILL");
}
