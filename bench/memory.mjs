// What a span costs while its trace is open: memory with our processor minus memory without, after the host has let go of
// everything but the roots. Bytes, not ratios: heaps do not depend on the machine's speed.
import { ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { TrajectorySpanProcessor } from "otel-trajectory";
import { plainAttributes, shapes } from "./shapes.mjs";

const TRACES = 100;
const SPANS = 100;

const plain = shapes["span of no kind, 6 attributes"];
const [tool, model] = Object.entries(shapes)
  .filter(([name]) => !name.startsWith("span of no kind"))
  .map(([, shape]) => shape);

/** Content is the host's; what is measured is what we add for each step. */
const withoutContent = (shape) => (child) => {
  const { name, attributes } = shape(child);
  const kept = Object.entries(attributes).filter(([key]) => !/arguments|result|messages/.test(key));
  return { name, attributes: Object.fromEntries(kept) };
};

/** Leaves beneath one root. */
function wide(tracer, within, shape) {
  for (let child = 1; child <= SPANS; child += 1) tracer.startSpan(...startOf(shape, child), within).end();
}

/** The same, of those that hand their contexts to others, and may therefore have children that nobody sees start. */
function clients(tracer, within, shape) {
  for (let child = 1; child <= SPANS; child += 1) {
    const [name, options] = startOf(shape, child);
    tracer.startSpan(name, { ...options, kind: SpanKind.CLIENT }, within).end();
  }
}

/** Each span beneath the one before, as nested calls are: none of them is a leaf but the last. */
function deep(tracer, within, shape) {
  const open = [];
  let inner = within;
  for (let child = 1; child <= SPANS; child += 1) {
    const span = tracer.startSpan(...startOf(shape, child), inner);
    open.push(span);
    inner = trace.setSpan(inner, span);
  }
  while (open.length > 0) open.pop().end();
}

/** A request: every span of ten others has nine leaves. */
function bushy(tracer, within, shape) {
  for (let branch = 0; branch < SPANS / 10; branch += 1) {
    const span = tracer.startSpan(...startOf(shape, branch), within);
    const beneath = trace.setSpan(within, span);
    for (let leaf = 1; leaf < 10; leaf += 1) tracer.startSpan(...startOf(shape, leaf), beneath).end();
    span.end();
  }
}

function startOf(shape, child) {
  const { name, attributes } = shape(child);
  return [name, { attributes }];
}

async function heap() {
  for (let turn = 0; turn < 4; turn += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What is left once the host holds nothing but the open roots. */
async function held(processors, grow, shape) {
  const tracer = new BasicTracerProvider({ spanProcessors: processors }).getTracer("host");
  const roots = [];
  const before = await heap();
  for (let index = 0; index < TRACES; index += 1) {
    const root = tracer.startSpan("POST /chat", { attributes: plainAttributes(index) }, ROOT_CONTEXT);
    grow(tracer, trace.setSpan(ROOT_CONTEXT, root), shape);
    roots.push(root);
  }
  const bytes = (await heap()) - before;
  for (const root of roots) root.end();
  return bytes;
}

async function perSpan(grow, shape) {
  const ours = new TrajectorySpanProcessor();
  // Once before, so that code and learnt keys are not counted.
  await held([ours], grow, shape);
  await ours.drain();
  const without = await held([], grow, shape);
  const withOurs = await held([ours], grow, shape);
  await ours.shutdown();
  return (withOurs - without) / (TRACES * SPANS);
}

/** @returns rows of the report */
export async function benchMemory() {
  const rows = [];
  for (const [work, grow, shape] of [
    ["span of no kind, leaves beneath a root", wide, plain],
    ["span of no kind, CLIENT leaves beneath a root", clients, plain],
    ["span of no kind, a tree of tens", bushy, plain],
    ["span of no kind, each beneath the one before", deep, plain],
    ["TOOL span without content", wide, withoutContent(tool)],
    ["LLM span without content", wide, withoutContent(model)],
  ]) {
    rows.push({ work: `held ${work}`, against: "bytes a span", bytes: await perSpan(grow, shape) });
  }
  return rows;
}
