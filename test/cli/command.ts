import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../src/cli/run.ts";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own with files in it, in which the command runs. */
export class CommandFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), "otel-trajectory-"));

  write(name: string, content: string): void {
    writeFileSync(join(this.path, name), content);
  }

  /** Writes values as JSON, one a line. */
  lines(name: string, values: readonly unknown[]): void {
    this.write(name, values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join(""));
  }

  async run(
    args: readonly string[],
    options: {
      stdin?: readonly (Uint8Array | string)[];
      tty?: boolean;
      env?: Readonly<Record<string, string>>;
      untilStopped?: () => Promise<void>;
      /** Told of what has been written to standard output so far. */
      onOutput?: (text: string) => void;
    } = {},
  ): Promise<Ran> {
    const written = { stdout: "", stderr: "" };
    const output = (name: "stdout" | "stderr") => ({
      isTTY: options.tty === true,
      write: (text: string) => {
        written[name] += text;
        if (name === "stdout") options.onOutput?.(written.stdout);
        return true;
      },
    });
    async function* stdin() {
      yield* options.stdin ?? [];
    }
    const code = await run(args, {
      stdout: output("stdout"),
      stderr: output("stderr"),
      stdin: stdin(),
      cwd: this.path,
      env: options.env,
      untilStopped: options.untilStopped,
    });
    return { code, ...written };
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Rows of JSON, one a line. */
export function rowsOf(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
