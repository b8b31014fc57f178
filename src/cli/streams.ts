import type { Output } from "./io.ts";
import { printable } from "./io.ts";
import { run } from "./run.ts";

/** What the command takes of a process. */
export interface Host {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  exitCode?: number | string | null | undefined;
  cwd(): string;
  on(event: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(event: "SIGTERM" | "SIGINT", listener: () => void): unknown;
}

/** Runs the command on a process. It is never ended by force: what has been written must still leave. */
export async function runOn(host: Host, argv: readonly string[]): Promise<void> {
  let failed = false;
  // Files tell of a failed write in a later turn, pipes whenever they like: also after the command is done.
  const fail = (name: string, error: Error): void => {
    if (!failed) stderr.write(`otel-trajectory: ${name}: cannot be written: ${printable(error.message)}\n`);
    failed = true;
    host.exitCode = 2;
  };
  const stdout = survivor(host.stdout, (error) => fail("standard output", error));
  const stderr = survivor(host.stderr, (error) => fail("standard error", error));
  const code = await run(argv, {
    stdout,
    stderr,
    stdin: host.stdin,
    cwd: host.cwd(),
    env: host.env,
    untilStopped: () => untilSignalled(host),
  });
  if (!failed) host.exitCode = code;
}

/** Some supervisors signal a process, and then the group that it is in: that is one signal. */
const ONE_SIGNAL_MILLIS = 500;

/** Resolves at the first signal; one that comes later does what signals do. */
function untilSignalled(host: Host): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (): void => {
      if (stopping) return;
      stopping = true;
      resolve();
      const letGo = (): void => {
        host.off("SIGTERM", stop);
        host.off("SIGINT", stop);
      };
      setTimeout(letGo, ONE_SIGNAL_MILLIS).unref();
    };
    host.on("SIGTERM", stop);
    host.on("SIGINT", stop);
  });
}

/** A reader such as `head` may leave early: what is left unwritten is nobody's loss, and the exit code still counts. */
function survivor(stream: NodeJS.WriteStream, onFailure: (error: Error) => void): Output {
  let gone = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!gone && error.code !== "EPIPE") {
      gone = true;
      onFailure(error);
    }
    gone = true;
  });
  return {
    isTTY: stream.isTTY,
    columns: stream.columns,
    write: (text) => gone || stream.write(text),
    once: (event, listener) => stream.once(event, listener),
    off: (event, listener) => stream.off(event, listener),
  };
}
