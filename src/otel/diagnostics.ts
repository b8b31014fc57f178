import { diag } from "@opentelemetry/api";
import { SCOPE_NAME } from "../model/version.ts";
import type { Runtime } from "../pipeline/timers.ts";

const QUIET_MILLIS = 60_000;

/** Says things through `diag`: each kind at most once a minute, with the number of those that were left out. Never throws. */
export class Diagnostics {
  readonly #runtime: Runtime;
  readonly #kinds = new Map<string, { at: number; left_out: number }>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  error(kind: string, message: string): void {
    this.#say("error", kind, message);
  }

  warn(kind: string, message: string): void {
    this.#say("warn", kind, message);
  }

  #say(level: "error" | "warn", kind: string, message: string): void {
    const now = this.#runtime.now();
    const said = this.#kinds.get(kind);
    if (said !== undefined && now - said.at < QUIET_MILLIS) {
      said.left_out += 1;
      return;
    }
    const more = said === undefined || said.left_out === 0 ? "" : ` (and ${said.left_out} more of this kind)`;
    this.#kinds.set(kind, { at: now, left_out: 0 });
    try {
      diag[level](`${SCOPE_NAME}: ${message}${more}`);
    } catch {
      // The host's own logger throws: there is nobody left to tell.
    }
  }
}
