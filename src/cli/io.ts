/** Where output goes: a stream of the process, or a test's own. */
export interface Output {
  write(text: string): boolean | undefined;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  once?(event: "drain" | "close" | "error", listener: () => void): unknown;
  off?(event: "drain" | "close" | "error", listener: () => void): unknown;
}

/** What the command is given by whoever runs it. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  /** Environment variables. @defaultValue none */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * For what runs until it is told to end: resolves when it is. Being told a second time ends the process at once.
   * @defaultValue at once
   */
  readonly untilStopped?: (() => Promise<void>) | undefined;
}

/** Unusable input or usage: exit code 2. The message is one line that names file, place and what was expected. */
export class UsageError extends Error {
  constructor(message: string) {
    super(inOneLine(message));
    this.name = "UsageError";
  }
}

/** Text of several lines as one; space around the breaks goes. O(length): a pattern for that would go back and forth. */
export function inOneLine(text: string): string {
  const lines = text.split("\n");
  return lines.length === 1
    ? text
    : lines
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join(" ");
}

/** Colour is for terminals, and for those who do not object to it (no-color.org: any value but an empty one). */
export function wantsColor(io: Io): boolean {
  const objection = io.env?.["NO_COLOR"];
  return io.stdout.isTTY === true && (objection === undefined || objection === "");
}

/** Writes, and waits where the reader is slower than we are, so that output never piles up in memory. */
export async function print(output: Output, text: string): Promise<void> {
  if (output.write(text) !== false) return;
  await new Promise<void>((resolve) => {
    if (output.once === undefined) return resolve();
    // A reader that has gone away never drains.
    const events = ["drain", "close", "error"] as const;
    const goOn = (): void => {
      // Those that did not happen stay otherwise, more with each wait.
      for (const event of events) output.off?.(event, goOn);
      resolve();
    };
    for (const event of events) output.once(event, goOn);
  });
}

/** Control characters of span names and messages must not reach a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
