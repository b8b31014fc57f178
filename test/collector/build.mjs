// Builds an OpenTelemetry Collector with its own builder from Go modules, once for each list of components, into the
// user's cache folder. `node test/collector/build.mjs` prints the path of the binary; it takes some minutes, and a gigabyte
// of Go's own caches, the first time.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "../../scripts/support/project.mjs";
import { cacheFolder } from "../support/processes.mjs";

/** One release of core and contrib: the newest at which the Go proxy served every component below. */
export const RELEASE = "0.161.0";
const STABLE = "1.67.0";

const CORE = "go.opentelemetry.io/collector";
const CONTRIB = "github.com/open-telemetry/opentelemetry-collector-contrib";

const MANIFEST = `dist:
  name: otelcol
  module: otelcol
  description: The Collector that otel-trajectory is tested with
  version: ${RELEASE}
  output_path: ./source
receivers:
  - gomod: ${CORE}/receiver/otlpreceiver v${RELEASE}
processors:
  - gomod: ${CORE}/processor/batchprocessor v${RELEASE}
  - gomod: ${CONTRIB}/processor/groupbytraceprocessor v${RELEASE}
  - gomod: ${CONTRIB}/processor/transformprocessor v${RELEASE}
exporters:
  - gomod: ${CORE}/exporter/debugexporter v${RELEASE}
  - gomod: ${CORE}/exporter/otlpexporter v${RELEASE}
  - gomod: ${CORE}/exporter/otlphttpexporter v${RELEASE}
  - gomod: ${CONTRIB}/exporter/fileexporter v${RELEASE}
  - gomod: ${CONTRIB}/exporter/loadbalancingexporter v${RELEASE}
extensions:
  - gomod: ${CONTRIB}/extension/storage/filestorage v${RELEASE}
providers:
  - gomod: ${CORE}/confmap/provider/envprovider v${STABLE}
  - gomod: ${CORE}/confmap/provider/fileprovider v${STABLE}
replaces:
  # What the load-balancing exporter asks for is not served everywhere; only its AWS resolver uses it, and we do not.
  - github.com/aws/aws-sdk-go-v2/service/servicediscovery => github.com/aws/aws-sdk-go-v2/service/servicediscovery v1.40.2
`;

/**
 * The Collector's binary, built unless it is there.
 *
 * @returns {Promise<{ binary: string } | { skipped: string }>} `skipped` says what this machine lacks.
 * @throws {Error} with the builder's output where it fails.
 */
export async function collector() {
  const digest = createHash("sha256").update(MANIFEST).digest("hex").slice(0, 8);
  const folder = cacheFolder(`collector-${RELEASE}-${digest}`);
  const binary = join(folder, "otelcol");
  if (existsSync(binary)) return { binary };
  const go = await run("go", ["version"]).catch(() => undefined);
  if (go?.code !== 0) return { skipped: "no Go on this machine" };

  // Two builds at a time do not meet: each has its own folder, and the binary appears whole.
  const work = join(folder, `build-${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    writeFileSync(join(work, "builder.yaml"), MANIFEST);
    const builder = `${CORE}/cmd/builder@v${RELEASE}`;
    const { code, output } = await run("go", ["run", builder, "--config=builder.yaml", "--ldflags=-s -w"], {
      cwd: work,
      timeoutMillis: 3_600_000,
    });
    if (code !== 0) throw new Error(`The Collector could not be built:\n${output}`);
    renameSync(join(work, "source", "otelcol"), binary);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return { binary };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const built = await collector();
  console.log(built.binary ?? `Skipped: ${built.skipped}.`);
}
