/** Where lines go. */
export interface LineOutput {
  write(text: string): unknown;
}

/** What a line of the log says besides its message: numbers, names and codes, never content. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** A structured log: one JSON object a line. Never throws. */
export class JsonLog {
  readonly #output: LineOutput;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  info(message: string, fields: LogFields = {}): void {
    this.#say("info", message, fields);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#say("warn", message, fields);
  }

  error(message: string, fields: LogFields = {}): void {
    this.#say("error", message, fields);
  }

  #say(level: string, message: string, fields: LogFields): void {
    try {
      this.#output.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
    } catch {
      // There is nobody left to tell.
    }
  }
}
