/** Version of this package; a test compares it with package.json. */
export const VERSION = "0.1.0";

/** Name of our instrumentation scope, the same for tracer, meter and logger. Spans of it are never scored. */
export const SCOPE_NAME = "otel-trajectory";
