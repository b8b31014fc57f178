import fc from "fast-check";
import { expect, test } from "vitest";
import type { SpanView } from "../../src/model/span.ts";
import { takeJaegerSpans } from "../../src/wire/from-jaeger-json.ts";
import { framed, ZSTD } from "../cli/compressed.ts";
import { feedAll } from "../cli/feed.ts";
import { agentRun, request } from "../cli/otlp.ts";
import { captures, captureText } from "../support/captures.ts";
import { jaegerOf } from "../support/jaeger.ts";
import { protobufOf } from "../support/otlp-protobuf.ts";
import { changes, expectOneLine, FUZZ_TIMEOUT, fuzz, mutated, nastyJson } from "./fuzz.ts";
import { takeThrough } from "./spans.ts";

const REQUESTS = [request(agentRun("t1", ["search", "open"])), request(agentRun("t2", ["send"]))];
const JSONS = REQUESTS.map((each) => Buffer.from(JSON.stringify(each)));
const FILES = [
  framed(REQUESTS.map(protobufOf)),
  framed(JSONS),
  framed([ZSTD.first, ZSTD.second]),
  framed(REQUESTS.map(protobufOf).map(ZSTD.raw)),
  ZSTD.lines,
];

const edits = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(30),
    put: fc.uint8Array({ maxLength: 6 }),
  }),
  { maxLength: 4 },
);

test("files of messages that were changed at random are read, in any pieces, as they are read whole", {
  timeout: FUZZ_TIMEOUT,
}, async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 });
  await fuzz(fc.tuple(fc.constantFrom(...FILES), edits, sizes), 150, async ([file, made, pieces]) => {
    let bytes = file;
    for (const { at, cut, put } of made) {
      const place = Math.floor(at * bytes.length);
      bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + cut)]);
    }
    const whole = await feedAll(bytes, [bytes.length]);
    for (const problem of whole.problems) expectOneLine(problem);
    takeThrough(whole.views);
    expect(await feedAll(bytes, pieces)).toEqual(whole);
  });
});

const DOCUMENTS = captures()
  .filter((_, index) => index % 12 === 0)
  .map((capture) => captureText(capture).split("\n")[0] ?? "")
  .filter((line) => line.length < 60_000)
  .map((line) => jaegerOf([JSON.parse(line)]));

test("Jaeger's documents that were changed at random are read, and scored, without an error", {
  timeout: FUZZ_TIMEOUT,
}, async () => {
  expect(DOCUMENTS.length).toBeGreaterThan(10);
  await fuzz(fc.tuple(fc.constantFrom(...DOCUMENTS), changes(nastyJson)), 200, ([sample, made]) => {
    const views: SpanView[] = [];
    const { problems } = takeJaegerSpans(mutated(sample, made), { take: (view) => void views.push(view) });
    for (const problem of problems) {
      expectOneLine(problem);
      expect(problem).toMatch(/^data\[\d+\].* must be .*, got /);
    }
    takeThrough(views);
  });
});

test("any JSON is a document or is refused", { timeout: FUZZ_TIMEOUT }, async () => {
  await fuzz(nastyJson, 200, (value) => {
    const { problems } = takeJaegerSpans({ data: [value] }, { take: () => undefined });
    for (const problem of problems) expectOneLine(problem);
  });
});
