import { type DiagLogger, DiagLogLevel, diag } from "@opentelemetry/api";
import { SCOPE_NAME } from "../model/version.ts";
import type { Quiet } from "./quiet.ts";

const MAX_WORDS = 500;

/** Has the words of the exporters said on lines like ours; other libraries can be given the same logger. */
export function logWordsTo(quiet: Quiet): DiagLogger & { end(): void } {
  const words = (message: string): string => `${SCOPE_NAME}: ${message}`.slice(0, MAX_WORDS);
  const nothing = (): void => undefined;
  const logger: DiagLogger = {
    error: (message) => quiet.error(words(message)),
    warn: (message) => quiet.warn(words(message)),
    info: nothing,
    debug: nothing,
    verbose: nothing,
  };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return { ...logger, end: () => diag.disable() };
}
