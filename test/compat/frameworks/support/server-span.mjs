import { SpanKind, trace } from "@opentelemetry/api";

/** Runs `work` beneath a span such as a web server makes: it says nothing of agents. */
export function behindServer(work) {
  return trace.getTracer("my-app").startActiveSpan("POST /chat", { kind: SpanKind.SERVER }, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });
}
