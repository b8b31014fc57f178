// How long a process takes to import the package, which every start of a host pays: against the OpenTelemetry SDK that it
// is attached to. Processes of their own, less what one takes that imports nothing.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "./support.mjs";

const ROUNDS = 21;
const IMPORTED = ["otel-trajectory", "zod", "@opentelemetry/sdk-trace-base"];

function millisOf(script) {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
  });
  if (status !== 0) throw new Error(`${script}: ended with ${status}`);
  return performance.now() - started;
}

/** @returns rows of the report */
export function benchStartUp() {
  const [ours, zod] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const nothing = millisOf("");
    const [own, schemas, sdk] = IMPORTED.map((name) => millisOf(`import "${name}";`) - nothing);
    ours.push(own / sdk);
    zod.push(schemas / sdk);
  }
  const against = "import of @opentelemetry/sdk-trace-base";
  return [
    { work: "import of otel-trajectory, zod included", against, ratio: median(ours) },
    { work: "import of zod alone", against, ratio: median(zod) },
  ];
}
