// A Python with OpenTelemetry's SDK.
import { venv } from "../support/python.mjs";

const PACKAGES = [
  "opentelemetry-sdk==1.45.2",
  "opentelemetry-exporter-otlp-proto-http==1.45.2",
  "opentelemetry-processor-baggage==0.66b1",
];

/** @returns {Promise<{ binary: string } | { skipped: string }>} `skipped` says what this machine lacks. */
export const python = () => venv("python-1.45.2", PACKAGES);
