// Builds OpenTelemetry Collectors with their own builder from Go modules, once for each list of components, into the
// user's cache folder. `node test/collector/build.mjs` prints the paths of the binaries; each takes some minutes, and a
// gigabyte of Go's own caches, the first time.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "../../scripts/support/project.mjs";
import { cacheFolder } from "../support/processes.mjs";

const CORE = "go.opentelemetry.io/collector";
const CONTRIB = "github.com/open-telemetry/opentelemetry-collector-contrib";

/**
 * Two Collectors, each of one release of core and contrib: the newest at which the Go proxy served every component of it.
 * There is none at which it served both the load-balancing exporter and the Kafka exporter.
 */
const BUILDS = {
  balancing: {
    release: "0.161.0",
    stable: "1.67.0",
    modules: {
      receivers: [`${CORE}/receiver/otlpreceiver`],
      processors: [
        `${CORE}/processor/batchprocessor`,
        `${CONTRIB}/processor/groupbytraceprocessor`,
        `${CONTRIB}/processor/transformprocessor`,
      ],
      exporters: [
        `${CORE}/exporter/debugexporter`,
        `${CORE}/exporter/otlpexporter`,
        `${CORE}/exporter/otlphttpexporter`,
        `${CONTRIB}/exporter/fileexporter`,
        `${CONTRIB}/exporter/loadbalancingexporter`,
      ],
      extensions: [`${CONTRIB}/extension/storage/filestorage`],
    },
    replaces: `replaces:
  # What the load-balancing exporter asks for is not served everywhere; only its AWS resolver uses it, and we do not.
  - github.com/aws/aws-sdk-go-v2/service/servicediscovery => github.com/aws/aws-sdk-go-v2/service/servicediscovery v1.40.2
`,
  },
  kafka: {
    release: "0.165.0",
    stable: "1.71.0",
    modules: { receivers: [`${CORE}/receiver/otlpreceiver`], exporters: [`${CONTRIB}/exporter/kafkaexporter`] },
    replaces: "",
  },
};

const PROVIDERS = ["envprovider", "fileprovider"].map((name) => `${CORE}/confmap/provider/${name}`);

const section = (kind, modules, version) =>
  `${kind}:\n${modules.map((module) => `  - gomod: ${module} v${version}\n`).join("")}`;

const manifest = ({ release, stable, modules, replaces }) => `dist:
  name: otelcol
  module: otelcol
  description: The Collector that otel-trajectory is tested with
  version: ${release}
  output_path: ./source
${Object.entries(modules)
  .map(([kind, names]) => section(kind, names, release))
  .join("")}${section("providers", PROVIDERS, stable)}${replaces}`;

/**
 * A Collector's binary, built unless it is there.
 *
 * @param {keyof typeof BUILDS} name
 * @returns {Promise<{ binary: string } | { skipped: string }>} `skipped` says what this machine lacks.
 * @throws {Error} with the builder's output where it fails.
 */
export async function collector(name) {
  const { release } = BUILDS[name];
  const config = manifest(BUILDS[name]);
  const digest = createHash("sha256").update(config).digest("hex").slice(0, 8);
  const folder = cacheFolder(`collector-${release}-${digest}`);
  const binary = join(folder, "otelcol");
  if (existsSync(binary)) return { binary };
  const go = await run("go", ["version"]).catch(() => undefined);
  if (go?.code !== 0) return { skipped: "no Go on this machine" };

  // Two builds at a time do not meet: each has its own folder, and the binary appears whole.
  const work = join(folder, `build-${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    writeFileSync(join(work, "builder.yaml"), config);
    const builder = `${CORE}/cmd/builder@v${release}`;
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
  for (const name of Object.keys(BUILDS)) {
    const built = await collector(name);
    console.log(built.binary ?? `Skipped: ${built.skipped}.`);
  }
}
