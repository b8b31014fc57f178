#!/usr/bin/env node
import type { Output } from "./io.ts";
import { run } from "./run.ts";

/** A reader such as `head` may leave early: what is left unwritten is nobody's loss, and the exit code still counts. */
function survivor(stream: NodeJS.WriteStream): Output {
  let gone = false;
  stream.on("error", () => {
    gone = true;
  });
  return {
    isTTY: stream.isTTY,
    columns: stream.columns,
    write: (text) => gone || stream.write(text),
    once: (event, listener) => stream.once(event, listener),
  };
}

void run(process.argv.slice(2), {
  stdout: survivor(process.stdout),
  stderr: survivor(process.stderr),
  stdin: process.stdin,
  cwd: process.cwd(),
  env: process.env,
}).then((code) => {
  // Not exit(): what has been written must still leave.
  process.exitCode = code;
});
