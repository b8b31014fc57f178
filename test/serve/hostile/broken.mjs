// Requests that are wrong in every way that there is, and the answer that docs/serve.md and OTLP have for each.
import { connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { sleep } from "../../support/processes.mjs";
import { ask } from "./senders.mjs";
import { open } from "./sockets.mjs";
import { agentRun, GRPC_PATH, JSON_TYPE, PROTOBUF_TYPE, protobufOf, requestOf } from "./traces.mjs";

const BOMBS = 32;
const RESETS = 5_000;
const MEBIBYTE = 2 ** 20;

/** What is sent to the HTTP port as it is, and the first line of the answer; nothing: closed without one. */
const RAW = [
  ["bytes that are no HTTP", "\x00\x01\x02\r\n\r\n", 400],
  ["a TLS hello", "\x16\x03\x01\x00\xc5\x01\x00\x00\xc1\x03\x03", 400],
  ["HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", 400],
  ["HTTP/0.9", "GET /nothing\r\n\r\n", 404],
  ["HTTP/3.7", "GET /healthz HTTP/3.7\r\nhost: x\r\n\r\n", 400],
  ["no host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
  ["20 kB of head", `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ["CONNECT", "CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n", undefined],
  ["two lengths", "POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}", 400],
  [
    "a length and chunks",
    "POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}",
    400,
  ],
  ["a length below zero", "POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-length: -2\r\n\r\n{}", 400],
];

function requests(authorization, limits) {
  const json = { "content-type": JSON_TYPE, authorization };
  const protobuf = { "content-type": PROTOBUF_TYPE, authorization };
  const zipped = { "content-encoding": "gzip" };
  const good = requestOf([agentRun().root]);
  const text = JSON.stringify(good);
  const bytes = protobufOf(good);
  const bomb = gzipSync(Buffer.alloc(1_024 * MEBIBYTE));
  const long = limits.maxRequestBytes + 1;
  // What takes most memory of what may be sent: lists without anything in them, and messages.
  const lists = (count) => gzipSync(`{"resourceSpans":[${"[],".repeat(count)}[]]}`);
  const messages = (count) => gzipSync(Buffer.alloc(count * 2, Buffer.from([0x0a, 0])));
  const chunked = { "transfer-encoding": "chunked" };
  return {
    bomb,
    list: [
      ["no token", { headers: { "content-type": JSON_TYPE }, body: text }, 401],
      ["another token", { headers: { ...json, authorization: "Bearer x" }, body: text }, 401],
      ["no token, and a bomb", { headers: { "content-type": PROTOBUF_TYPE, ...zipped }, body: bomb }, 401],
      ["metrics without token", { method: "GET", path: "/metrics" }, 401],
      ["another path", { path: "/v1/logs", headers: json, body: "{}" }, 404],
      ["another method", { method: "PUT", headers: json, body: text }, 405],
      ["another method for metrics", { path: "/metrics", headers: json, body: "{}" }, 405],
      ["another content type", { headers: { ...json, "content-type": "text/plain" }, body: text }, 415],
      ["no content type", { headers: { authorization }, body: text }, 415],
      ["another content encoding", { headers: { ...json, "content-encoding": "br" }, body: text }, 415],
      ["twice gzip", { headers: { ...json, "content-encoding": "gzip, gzip" }, body: text }, 415],
      ["truncated JSON", { headers: json, body: text.slice(0, -9) }, 400],
      ["JSON that is another thing", { headers: json, body: "[1]" }, 400],
      ["truncated protobuf", { headers: protobuf, body: bytes.subarray(0, -9) }, 400],
      ["JSON as protobuf", { headers: protobuf, body: text }, 400],
      ["truncated gzip", { headers: { ...json, ...zipped }, body: gzipSync(text).subarray(0, -9) }, 400],
      ["no gzip", { headers: { ...json, ...zipped }, body: text }, 400],
      ["a zip bomb of 1 GiB", { headers: { ...protobuf, ...zipped }, body: bomb }, 413],
      ["a zip bomb in gzip", { headers: { ...protobuf, ...zipped }, body: gzipSync(bomb) }, 400],
      ["a body that is too long, by its length", { headers: json, body: Buffer.alloc(long, " ") }, 413],
      ["a body that is too long, in chunks", { headers: { ...json, ...chunked }, body: Buffer.alloc(long, " ") }, 413],
      ["20 million lists in 64 kB", { headers: { ...json, ...zipped }, body: lists(20_000_000) }, 413],
      ["a million lists, which is as many as may be", { headers: { ...json, ...zipped }, body: lists(1_000_000) }, 400],
      ["30 million messages", { headers: { ...protobuf, ...zipped }, body: messages(30_000_000) }, 413],
    ],
  };
}

/** A Status with a message, in the encoding that was asked in; no word about Node's own answers to what is no HTTP. */
const saysWhy = ({ headers, body }) =>
  headers["content-type"] === PROTOBUF_TYPE ? body[0] === 0x12 : JSON.parse(body.toString()).message?.length > 5;

async function rapidResets(port, authorization) {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on("error", () => undefined);
  const head = { ":method": "POST", ":path": GRPC_PATH, "content-type": "application/grpc", te: "trailers" };
  for (let index = 0; index < RESETS && !session.destroyed; index += 1) {
    const stream = session.request({ ...head, authorization });
    stream.on("error", () => undefined);
    stream.close(8);
    if (index % 100 === 0) await sleep(0);
  }
  await sleep(500);
  session.destroy();
}

export async function broken({ port, grpcPort, token, limits, senders }) {
  const authorization = `Bearer ${token}`;
  const from = performance.now();
  const { bomb, list } = requests(authorization, limits);
  const failures = [];
  for (const [what, asked, status] of list) {
    const reply = await ask(port, asked);
    if (reply.status !== status) failures.push(`${what}: ${reply.error ?? reply.status}, expected ${status}`);
    else if (!saysWhy(reply)) failures.push(`${what}: ${status} without a word`);
  }
  const raw = [];
  for (const [what, text, status] of RAW) {
    const client = open(port, text);
    await Promise.race([client.closed, sleep(3_000)]);
    const said = /^HTTP\/1.1 (\d+)/.exec(client.text)?.[1];
    if (client.closedAt === undefined) raw.push(`${what}: still open`);
    if (said !== (status === undefined ? undefined : String(status))) raw.push(`${what}: ${said}, expected ${status}`);
    client.socket.destroy();
  }
  const atOnce = performance.now();
  const headers = { "content-type": PROTOBUF_TYPE, "content-encoding": "gzip", authorization };
  const bombs = await Promise.all(Array.from({ length: BOMBS }, () => ask(port, { headers, body: bomb })));
  const took = Math.round(performance.now() - atOnce);
  await rapidResets(grpcPort, authorization);
  const taken = senders.takenSince(from);
  const slowest = senders.slowest(from);
  const others = bombs.filter(({ status }) => status !== 413 && status !== 429);
  return [
    [`${list.length} wrong requests are answered as documented`, failures],
    [`${RAW.length} clients that speak no HTTP, or bad HTTP, are told so and let go`, raw],
    [
      `${BOMBS} zip bombs of 1 GiB at once are refused in ${took} ms`,
      others.map(({ status, error }) => `${error ?? status}`),
    ],
    [
      `senders are served meanwhile, and after ${RESETS} calls that were reset: ${taken} traces, slowest answer ${slowest} ms`,
      taken > 10 && slowest < 20_000 ? [] : ["too few, or too slow"],
    ],
  ];
}
