import { TrajectoryError } from "../model/errors.ts";
import { exportsOf } from "../model/loaded.ts";

/** Packages that only services need, so that nobody else has to install them. */
interface Packages {
  readonly "@grpc/grpc-js": typeof import("@grpc/grpc-js");
  readonly "@platformatic/kafka": typeof import("@platformatic/kafka");
  readonly protobufjs: typeof import("protobufjs/minimal.js");
  readonly "@opentelemetry/exporter-prometheus": typeof import("@opentelemetry/exporter-prometheus");
  readonly "@opentelemetry/resources": typeof import("@opentelemetry/resources");
  readonly "@opentelemetry/sdk-metrics": typeof import("@opentelemetry/sdk-metrics");
  readonly "@opentelemetry/exporter-logs-otlp-proto": typeof import("@opentelemetry/exporter-logs-otlp-proto");
  readonly "@opentelemetry/exporter-metrics-otlp-proto": typeof import("@opentelemetry/exporter-metrics-otlp-proto");
  readonly "@opentelemetry/sdk-logs": typeof import("@opentelemetry/sdk-logs");
  readonly "@opentelemetry/exporter-trace-otlp-proto": typeof import("@opentelemetry/exporter-trace-otlp-proto");
  readonly "@opentelemetry/sdk-trace": typeof import("@opentelemetry/sdk-trace");
}

type PackageName = keyof Packages;

const PACKAGES: { readonly [K in PackageName]: () => Promise<Packages[K]> } = {
  "@grpc/grpc-js": () => import("@grpc/grpc-js"),
  "@platformatic/kafka": () => import("@platformatic/kafka"),
  protobufjs: () => import("protobufjs/minimal.js"),
  "@opentelemetry/exporter-prometheus": () => import("@opentelemetry/exporter-prometheus"),
  "@opentelemetry/resources": () => import("@opentelemetry/resources"),
  "@opentelemetry/sdk-metrics": () => import("@opentelemetry/sdk-metrics"),
  "@opentelemetry/exporter-logs-otlp-proto": () => import("@opentelemetry/exporter-logs-otlp-proto"),
  "@opentelemetry/exporter-metrics-otlp-proto": () => import("@opentelemetry/exporter-metrics-otlp-proto"),
  "@opentelemetry/sdk-logs": () => import("@opentelemetry/sdk-logs"),
  "@opentelemetry/exporter-trace-otlp-proto": () => import("@opentelemetry/exporter-trace-otlp-proto"),
  "@opentelemetry/sdk-trace": () => import("@opentelemetry/sdk-trace"),
};

/** Packages that have been loaded, by name. */
export type Loaded<N extends PackageName> = Pick<Packages, N>;

const ALWAYS = [
  "protobufjs",
  "@opentelemetry/exporter-prometheus",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-metrics",
] as const;
const OTLP = [
  "@opentelemetry/exporter-logs-otlp-proto",
  "@opentelemetry/exporter-metrics-otlp-proto",
  "@opentelemetry/sdk-logs",
] as const;
const GRPC = ["@grpc/grpc-js"] as const;
const KAFKA = ["@platformatic/kafka"] as const;
const SPANS = ["@opentelemetry/exporter-trace-otlp-proto", "@opentelemetry/sdk-trace"] as const;

/** What a service with these outputs has loaded; undefined is what it does not need. */
export interface ServePackages {
  readonly always: Loaded<(typeof ALWAYS)[number]>;
  readonly otlp: Loaded<(typeof OTLP)[number]> | undefined;
  readonly spans: Loaded<(typeof SPANS)[number]> | undefined;
  readonly grpc: Loaded<(typeof GRPC)[number]> | undefined;
  readonly kafka: Loaded<(typeof KAFKA)[number]> | undefined;
}

/**
 * Loads what a service needs.
 *
 * @throws TrajectoryError (rejects) `invalid_option` with the one command that installs everything that is missing
 */
export async function loadPackages(wanted: {
  readonly otlp: boolean;
  readonly spans: boolean;
  readonly grpc?: boolean;
  readonly kafka?: boolean;
}): Promise<ServePackages> {
  const missing: string[] = [];
  const [always, otlp, spans, grpc, kafka] = await Promise.all([
    load(ALWAYS, missing),
    wanted.otlp ? load(OTLP, missing) : undefined,
    wanted.otlp && wanted.spans ? load(SPANS, missing) : undefined,
    wanted.grpc === true ? load(GRPC, missing) : undefined,
    wanted.kafka === true ? load(KAFKA, missing) : undefined,
  ]);
  if (missing.length === 0) return { always, otlp, spans, grpc, kafka };
  const command = `npm install ${missing.map(installedAs).sort().join(" ")}`;
  const name = wanted.kafka === true ? "consume" : "serve";
  throw new TrajectoryError("invalid_option", "", `${name} needs packages that are not installed; run: ${command}`);
}

/** What is to be installed where the latest version does not run on every Node that we run on. */
function installedAs(name: string): string {
  return name === "@platformatic/kafka" ? `${name}@1` : name;
}

async function load<N extends PackageName>(names: readonly N[], missing: string[]): Promise<Loaded<N>> {
  const loaded = await Promise.all(
    names.map(async (name) => {
      try {
        return [name, exportsOf<object>(await PACKAGES[name]())] as const;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
        missing.push(name);
        return [name, undefined] as const;
      }
    }),
  );
  return Object.fromEntries(loaded) as unknown as Loaded<N>;
}
