import type { JsonLog, LogFields } from "./json-log.ts";

const QUIET_MILLIS = 60_000;
/** Messages that are remembered; there are some dozens. */
const MAX_REMEMBERED = 1_000;

/** Says each message at most once a minute, with how many like it were left out: senders decide how often they fail. */
export class Quiet {
  readonly #log: JsonLog;
  readonly #said = new Map<string, { at: number; left_out: number }>();

  constructor(log: JsonLog) {
    this.#log = log;
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#say("warn", message, fields);
  }

  error(message: string, fields: LogFields = {}): void {
    this.#say("error", message, fields);
  }

  #say(level: "warn" | "error", message: string, fields: LogFields): void {
    const now = performance.now();
    const said = this.#said.get(message);
    if (said !== undefined && now - said.at < QUIET_MILLIS) {
      said.left_out += 1;
      return;
    }
    if (this.#said.size >= MAX_REMEMBERED) this.#said.clear();
    const leftOut = said === undefined || said.left_out === 0 ? undefined : said.left_out;
    this.#said.set(message, { at: now, left_out: 0 });
    this.#log[level](message, { ...fields, left_out: leftOut });
  }
}
