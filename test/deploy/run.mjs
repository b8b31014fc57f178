// `npm run verify:deploy`: what examples/deploy says, done for real as far as this machine can. The steps of the Dockerfile
// in folders, and what comes out of them as a service; the manifests against the JSON schemas of every Kubernetes since
// 1.30; the Collectors' configurations in real Collectors, and through them, with token and TLS, to real scorers, and through
// a real Kafka to real consumers.
import { ensureBuilt, packed } from "../../scripts/support/project.mjs";
import { collector } from "../collector/build.mjs";
import { ALL_CONSUMED, consumeRun } from "./consumers.mjs";
import { imageRun } from "./image.mjs";
import { kustomize } from "./render.mjs";
import { ALL_SCORED, collectorErrors, securedRun } from "./routers.mjs";
import { schemaRun } from "./schema.mjs";

const total = { passed: 0, failed: 0, skipped: 0 };

async function check(what, body) {
  let said;
  let kind = "passed";
  try {
    const result = (await body()) ?? {};
    if (result.skipped !== undefined) kind = "skipped";
    said = result.skipped ?? result.note;
  } catch (error) {
    kind = "failed";
    said = error.message;
  }
  total[kind] += 1;
  console.log(`${{ passed: "✓", failed: "✗", skipped: "- Skipped:" }[kind]} ${what}${said ? `: ${said}` : ""}`);
}

function same(seen, expected) {
  const [left, right] = [JSON.stringify(seen), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left}, expected ${right}`);
}

await ensureBuilt();
await check("the image's steps give a healthy service that scores and ends as told", async () => ({
  note: await imageRun(await packed()),
}));
await check("the manifests hold to Kubernetes' JSON schemas, strictly", async () => {
  const { skipped, versions, errors, unnoticed } = await schemaRun();
  if (skipped !== undefined) return { skipped };
  same({ errors, unnoticed }, { errors: [], unnoticed: [] });
  return { note: versions.join(", ") };
});
const NONE = { skipped: "neither kustomize nor kubectl is here" };
const built = async (kind) => (kustomize === undefined ? NONE : collector(kind));
const { binary, skipped } = await built("balancing");
await check("a Collector takes the configurations of all routers", () => {
  if (skipped !== undefined) return { skipped };
  return same(collectorErrors(binary, "balancing"), []);
});
const writer = await built("kafka");
await check("a Collector takes the configuration of the writer", () => {
  if (writer.skipped !== undefined) return writer;
  return same(collectorErrors(writer.binary, "kafka"), []);
});
await check("from the writer through a real Kafka to two consumers every trace is scored once", async () => {
  if (writer.skipped !== undefined) return writer;
  const seen = await consumeRun(writer.binary);
  return seen.skipped === undefined ? same(seen, ALL_CONSUMED) : seen;
});
await check("with token and TLS every trace goes through", async () => {
  if (skipped !== undefined) return { skipped };
  return same(await securedRun(binary, "t0ken"), ALL_SCORED);
});
await check("with another token none does", async () => {
  if (skipped !== undefined) return { skipped };
  return same(await securedRun(binary, "other"), { scored: 0, refused: true });
});
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;
