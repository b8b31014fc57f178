/** Codes of the errors that constructors throw. After construction nothing throws. */
export type ErrorCode = "invalid_option" | "invalid_config" | "invalid_expectation" | "invalid_input";

/** A mistake in options, configuration or input: the message says what, where, and what was expected. */
export class TrajectoryError extends Error {
  readonly code: ErrorCode;
  /** Path of the bad field, for example `scorers[0].threshold`; empty when there is none. */
  readonly path: string;

  constructor(code: ErrorCode, path: string, message: string) {
    super(message);
    this.name = "TrajectoryError";
    this.code = code;
    this.path = path;
  }
}

/** Most members of a value that are looked at in order to show it. */
const MAX_SHOWN = 100;

/** Shows a bad value in an error message: short, on one line, in little time, never throwing. */
export function show(value: unknown): string {
  let text: string | undefined;
  let left = MAX_SHOWN;
  const few = (_: string, member: unknown): unknown => {
    left -= 1;
    if (left < 0) throw new RangeError("too much to show");
    return typeof member === "string" ? member.slice(0, MAX_SHOWN) : member;
  };
  try {
    // Of an array of bytes every index would become a text first.
    if (!ArrayBuffer.isView(value)) text = typeof value === "bigint" ? `${value}n` : JSON.stringify(value, few);
  } catch {
    text = undefined;
  }
  text ??= String(typeof value === "function" ? "a function" : typeof value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** What was thrown says, in words. Never throws: even what was thrown may be hostile. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return "an error that cannot be read";
  }
}

/** The name of the type of what was thrown. Never throws. */
export function typeOf(error: unknown): string {
  try {
    return error instanceof Error && typeof error.name === "string" && error.name !== "" ? error.name : "Error";
  } catch {
    return "Error";
  }
}

const FRAME = /^\n {1,8}(at [^\n]{1,300})/;

/** Where an error was thrown, as its stack says: its first frame, which quotes no message. Never throws. */
export function placeOf(error: unknown): string | undefined {
  try {
    if (!(error instanceof Error) || typeof error.stack !== "string") return undefined;
    // The message stands in front, and may look like a frame.
    const head = `${error}`;
    return error.stack.startsWith(head) ? FRAME.exec(error.stack.slice(head.length))?.[1] : undefined;
  } catch {
    return undefined;
  }
}

/** A fault of host code. Its message is the host's and may quote arguments, prompts or outputs; `gist` quotes nothing. */
export class HostFault extends Error {
  readonly gist: string;

  constructor(gist: string, message: string) {
    super(message);
    this.name = "HostFault";
    this.gist = gist;
  }
}
