import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { agentRun, request } from "../cli/otlp.ts";
import { COMMAND, launch } from "../serve/running.ts";
import { post } from "../serve/support.ts";

/** A process in it is number 1 of its own, as in a container. */
const OWN_NUMBERS = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child"];

function canHaveOwnNumbers(): boolean {
  try {
    execFileSync("unshare", [...OWN_NUMBERS, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const able = canHaveOwnNumbers();

// The kernel drops signals to process 1 that it has no handler for: without one of ours it would be killed at the end of
// its grace, with all that it holds.
test.skipIf(!able)(`as process 1 it ends on SIGTERM${able ? "" : ": skipped, no namespaces here"}`, async () => {
  const args = [...OWN_NUMBERS, process.execPath, COMMAND, "serve", "--port", "0", "--output", "jsonl"];
  const service = launch("unshare", args, { cwd: tmpdir() });
  const run = request(agentRun("p", ["a"], { "aip.expected_steps": '["a","b"]' }));
  expect((await post(await service.port, run)).status).toBe(200);
  const { pid } = service.child;
  const [inner] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  expect(readFileSync(`/proc/${inner}/status`, "utf8")).toMatch(/^NSpid:.*\t1$/m);
  process.kill(inner as number, "SIGTERM");
  expect(await service.ended).toBe(0);
  expect(JSON.parse(service.out())).toMatchObject({ score: 0.5, incomplete_reasons: ["shutdown"] });
});
