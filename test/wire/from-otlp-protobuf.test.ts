import fc from "fast-check";
import protobuf from "protobufjs";
import { describe, expect, test } from "vitest";
import type { SpanView } from "../../src/model/span.ts";
import { readOtlpRequest } from "../../src/wire/from-otlp-json.ts";
import { takeOtlpProtobuf } from "../../src/wire/from-otlp-protobuf.ts";
import type { ProtobufReader } from "../../src/wire/protobuf-scalars.ts";
import type { TakenRequest } from "../../src/wire/request-problems.ts";
import { protobufOf } from "../support/otlp-protobuf.ts";

function read(body: Uint8Array): TakenRequest & { readonly views: readonly SpanView[] } {
  const views: SpanView[] = [];
  const reader = protobuf.Reader.create(body) as ProtobufReader;
  const taken = takeOtlpProtobuf(reader, { resources: new Map(), take: (view) => views.push(view) });
  return { spans: taken.spans, rejected: taken.rejected, problems: taken.problems, views };
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const scalar = fc.oneof(
  text.map((stringValue) => ({ stringValue })),
  fc.boolean().map((boolValue) => ({ boolValue })),
  fc.oneof(int64, fc.integer().map(BigInt)).map((value) => ({ intValue: value.toString() })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((doubleValue) => ({ doubleValue })),
  fc.uint8Array({ maxLength: 9 }).map((bytes) => ({ bytesValue: Buffer.from(bytes).toString("base64") })),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }).map((values) => ({ arrayValue: { values } })),
    fc
      .array(fc.record({ key: text, value: tie("value") }), { maxLength: 3 })
      .map((values) => ({ kvlistValue: { values } })),
  ),
}));
const attributes = fc.array(fc.record({ key: text, value }), { maxLength: 4 });
const hex = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString("hex"));
const nanos = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constant(1_795_999_847_303_000_001n));
const span = fc.record(
  {
    traceId: fc.oneof(hex(16), fc.constant("0af7651916cd43dd8448eb211c80319c")),
    spanId: hex(8),
    parentSpanId: fc.oneof(hex(8), fc.constant("0000000000000000")),
    name: text,
    kind: fc.nat(6),
    startTimeUnixNano: nanos.map(String),
    endTimeUnixNano: nanos.map(String),
    // Protobuf writes no zeros.
    flags: fc.integer({ min: 1, max: 0x3ff }),
    attributes,
    events: fc.array(fc.record({ timeUnixNano: nanos.map(String), name: text, attributes }), { maxLength: 2 }),
    links: fc.array(fc.record({ traceId: hex(16), spanId: hex(8) }), { maxLength: 1 }),
    status: fc.record({ code: fc.nat(2), message: text }),
  },
  { requiredKeys: ["traceId", "spanId", "startTimeUnixNano", "endTimeUnixNano", "name", "attributes"] },
);
const request = fc.record({
  resourceSpans: fc.array(
    fc.record({
      resource: fc.record({ attributes }),
      scopeSpans: fc.array(
        fc.record({ scope: fc.record({ name: text, version: text }), spans: fc.array(span, { maxLength: 4 }) }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 2 },
  ),
});

/** A message in a field, written by hand. */
function message(field: number, body: Uint8Array): Buffer {
  const writer = protobuf.Writer.create().uint32((field << 3) | 2);
  return Buffer.from(writer.bytes(body).finish());
}

const text1 = (value: string): Buffer => message(1, Buffer.from(value));

const PLAIN_SPAN = Buffer.concat([
  message(1, Buffer.alloc(16, 1)),
  message(2, Buffer.alloc(8, 2)),
  Buffer.from("390100000000000000410200000000000000", "hex"),
]);

/** Through JSON, as maps without a prototype and undefined values stand in the way of comparing. */
const plain = (views: readonly SpanView[]): unknown =>
  JSON.parse(JSON.stringify(views, (_, each) => (each === undefined ? null : each)));

describe("a request in protobuf", () => {
  test("says what the same request in JSON says", () => {
    let spans = 0;
    fc.assert(
      fc.property(request, (given) => {
        const json = readOtlpRequest(JSON.parse(JSON.stringify(given)));
        const proto = read(protobufOf(given));
        expect(plain(proto.views)).toEqual(plain(json.views));
        expect(proto.rejected).toBe(json.problems.length);
        spans += proto.spans;
      }),
      { numRuns: 300 },
    );
    expect(spans).toBeGreaterThan(300);
  });

  test("of any bytes at all is read, or refused with an error, and never hangs", () => {
    let refused = 0;
    const whole = fc.sample(request.filter((each) => each.resourceSpans.length > 0).map(protobufOf), 40);
    fc.assert(
      fc.property(fc.constantFrom(...whole), fc.nat(), fc.nat(255), (body, place, byte) => {
        const broken = Buffer.from(body);
        if (broken.length > 0) broken[place % broken.length] = byte;
        try {
          read(broken);
        } catch (error) {
          refused += 1;
          expect(error).toBeInstanceOf(Error);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  test("is nested without end: what is too deep is left out", () => {
    let json: object = { stringValue: "deep" };
    let bytes = message(1, Buffer.from("deep"));
    for (let depth = 0; depth < 500; depth += 1) {
      json = { arrayValue: { values: [json] } };
      bytes = message(5, message(1, bytes));
    }
    const span = Buffer.concat([
      PLAIN_SPAN,
      message(9, Buffer.concat([message(1, Buffer.from("k")), message(2, bytes)])),
    ]);
    const views = read(message(1, message(2, message(2, span)))).views;
    const raw = { traceId: "01".repeat(16), spanId: "02".repeat(8), startTimeUnixNano: "1", endTimeUnixNano: "2" };
    const spans = [{ ...raw, attributes: [{ key: "k", value: json }] }];
    expect(plain(views)).toEqual(plain(readOtlpRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] }).views));
    expect(JSON.stringify(plain(views))).toContain("[[[[[[");
  });

  test("with the resource and the scope behind the spans is read all the same", () => {
    const resource = message(1, message(1, Buffer.concat([text1("k"), message(2, text1("v"))])));
    const scope = message(1, text1("scope"));
    const scopeSpans = message(2, Buffer.concat([message(2, PLAIN_SPAN), scope]));
    const body = message(1, Buffer.concat([scopeSpans, resource]));
    const { views } = read(body);
    expect(views[0]).toMatchObject({ scope_name: "scope", resource: { k: "v" }, start_s: 0, start_n: 1, end_n: 2 });
  });
});
