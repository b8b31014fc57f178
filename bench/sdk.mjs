/** A tracer provider of either OpenTelemetry SDK line, whichever is installed. */
export async function tracerProvider(spanProcessors) {
  const sdk = await import("@opentelemetry/sdk-trace-base").catch(() => import("@opentelemetry/sdk-trace"));
  const Provider = sdk.BasicTracerProvider ?? sdk.TracerProvider;
  return new Provider({ spanProcessors });
}
