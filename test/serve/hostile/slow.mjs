// Clients that send a byte a second, so that what they hold is held for as long as possible.
import { connect } from "node:http2";
import { sleep } from "../../support/processes.mjs";
import { isOpen, openMany } from "./sockets.mjs";
import { GRPC_PATH } from "./traces.mjs";

const CLIENTS = 500;
const SESSIONS = 10;

/** @returns the clients, after at most `seconds`, to each of which a byte was sent in every second in which it was open */
async function drip(clients, seconds) {
  for (let second = 0; second < seconds && clients.some(isOpen); second += 1) {
    for (const client of clients) if (isOpen(client)) client.socket.write("x");
    await sleep(1_000);
  }
  for (const { socket } of clients) socket.destroy();
  return clients;
}

async function calls(port, authorization, seconds) {
  const sessions = Array.from({ length: SESSIONS }, () => connect(`http://127.0.0.1:${port}`));
  const streams = [];
  for (const session of sessions) {
    session.on("error", () => undefined);
    for (let index = 0; index < CLIENTS / SESSIONS; index += 1) {
      const head = { ":method": "POST", ":path": GRPC_PATH, "content-type": "application/grpc", te: "trailers" };
      const stream = session.request({ ...head, authorization });
      const client = { stream, code: undefined, closedAt: undefined };
      const look = (headers) => {
        client.code = headers["grpc-status"] ?? client.code;
      };
      stream
        .on("response", look)
        .on("trailers", look)
        .on("error", () => undefined)
        .resume();
      stream.on("close", () => {
        client.closedAt = performance.now();
      });
      streams.push(client);
    }
  }
  // The head of a message of 100 bytes, and then its bytes.
  for (const { stream } of streams) stream.write(Buffer.from([0, 0, 0, 0, 100]));
  const answered = ({ code, closedAt }) => code !== undefined || closedAt !== undefined;
  for (let second = 0; second < seconds && !streams.every(answered); second += 1) {
    for (const client of streams) if (!answered(client) && client.stream.writable) client.stream.write("x");
    await sleep(1_000);
  }
  const left = streams.filter((client) => !answered(client)).length;
  for (const session of sessions) session.destroy();
  return { left, codes: countOf(streams.map(({ code }) => code ?? "closed")) };
}

const countOf = (values) => {
  const counts = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

export async function slow({ port, grpcPort, token, limits, senders }) {
  const from = performance.now();
  const authorization = `Bearer ${token}`;
  const start = "POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
  const body = `${start}authorization: ${authorization}\r\ncontent-length: 1000\r\n\r\n`;
  const [head, late] = [limits.headersTimeoutMillis, limits.requestTimeoutMillis];
  const dripped = async (text, millis) => drip(await openMany(CLIENTS, port, text), millis / 1_000 + 4);
  const [heads, bodies, overGrpc] = await Promise.all([
    dripped("GET /", head),
    dripped(body, late),
    calls(grpcPort, authorization, late / 1_000 + 4),
  ]);
  const statuses = (clients) =>
    countOf(clients.map(({ text }) => /^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? "closed without a word"));
  const wrong = (counts, allowed) =>
    Object.keys(counts)
      .filter((status) => !allowed.includes(status))
      .map((status) => `${counts[status]} times ${status}`);
  const taken = senders.takenSince(from);
  const seconds = Math.round((performance.now() - from) / 1_000);
  const slowest = senders.slowest(from);
  return [
    [
      `${CLIENTS} clients that send a head byte by byte are cut off: ${JSON.stringify(statuses(heads))}`,
      wrong(statuses(heads), ["408"]),
    ],
    [
      `${CLIENTS} clients that send a body byte by byte are cut off: ${JSON.stringify(statuses(bodies))}`,
      wrong(statuses(bodies), ["408", "429"]),
    ],
    [
      `${CLIENTS} calls that send a message byte by byte are cut off, by code: ${JSON.stringify(overGrpc.codes)}`,
      [...wrong(overGrpc.codes, ["4", "14"]), ...(overGrpc.left > 0 ? [`${overGrpc.left} are still there`] : [])],
    ],
    [
      `senders are served meanwhile: ${taken} traces in ${seconds} s, slowest answer ${slowest} ms`,
      taken >= seconds && slowest < 5_000 ? [] : ["too few, or too slow"],
    ],
  ];
}
