// Senders that behave well all the while, on connections of their own, and remember everything they were told.
import { Agent, request } from "node:http";
import { gzipSync } from "node:zlib";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { sleep } from "../../support/processes.mjs";
import { agentRun, GRPC_PATH, JSON_TYPE, PROTOBUF_TYPE, protobufOf, requestOf } from "./traces.mjs";

const TRACES_PER_SECOND = 4;
/** gRPC's UNAVAILABLE is what 429 and 503 are over HTTP. */
const STATUS_OF_CODE = { 0: 200, 14: 429 };

/** One request over HTTP; what came of it, `error` where that was no answer. */
export function ask(port, { method = "POST", path = "/v1/traces", headers = {}, body, agent }) {
  return new Promise((resolve) => {
    const asking = request({ host: "127.0.0.1", port, method, path, headers, agent }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", (error) => resolve({ error: error.code }));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    asking.on("error", (error) => resolve({ error: error.code }));
    asking.end(body);
  });
}

export class Senders {
  /** By trace: when its last span was taken, in milliseconds of this process. */
  taken = new Map();
  spans = 0;
  /** How often each status came. */
  statuses = {};
  /** Milliseconds that answers took, with when they came. */
  answers = [];
  /** Answers that are none of 200, 429 and 503, or take less than everything. */
  wrong = [];
  #going = true;
  #ways;
  #running;

  constructor({ port, grpcPort, token }) {
    const authorization = `Bearer ${token}`;
    const http = (contentType, bodyOf, more = {}) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const headers = { "content-type": contentType, authorization, ...more };
      const send = (value) => ask(port, { headers, body: bodyOf(value), agent });
      return { send, close: () => agent.destroy(), nothing: contentType === JSON_TYPE ? "{}" : "" };
    };
    this.#ways = [
      http(JSON_TYPE, JSON.stringify),
      http(PROTOBUF_TYPE, (value) => gzipSync(protobufOf(value)), { "content-encoding": "gzip" }),
      grpc(grpcPort, authorization),
    ];
  }

  start() {
    this.#running = Promise.all(this.#ways.map((way, index) => this.#run(way, index)));
  }

  /** Resolves once everything that was begun has been taken. */
  async stop() {
    this.#going = false;
    await this.#running;
    for (const way of this.#ways) way.close();
  }

  /** The longest answer since a moment, in milliseconds. */
  slowest(since) {
    return Math.round(Math.max(0, ...this.answers.filter(({ at }) => at >= since).map(({ millis }) => millis)));
  }

  /** How many traces have been taken since a moment. */
  takenSince(since) {
    return [...this.taken.values()].filter((at) => at >= since).length;
  }

  async #run(way, index) {
    await sleep((index * 1_000) / TRACES_PER_SECOND);
    while (this.#going) {
      const next = performance.now() + (1_000 * this.#ways.length) / TRACES_PER_SECOND;
      const { id, tools, root } = agentRun();
      const whole = (await this.#send(way, tools)) && (await this.#send(way, [root]));
      if (whole) this.taken.set(id, performance.now());
      await sleep(Math.max(0, next - performance.now()));
    }
  }

  /** Sends until it is taken, as senders of OTLP do. */
  async #send(way, spans) {
    for (let tries = 0; tries < 60; tries += 1) {
      const from = performance.now();
      const { status, error, body } = await way.send(requestOf(spans));
      const at = performance.now();
      this.answers.push({ at, millis: at - from });
      const said = error ?? status;
      this.statuses[said] = (this.statuses[said] ?? 0) + 1;
      if (status === 200) {
        if (body.toString() !== way.nothing) this.wrong.push(`200 ${body}`);
        this.spans += spans.length;
        return true;
      }
      if (status !== 429 && status !== 503) this.wrong.push(`${said} after ${Math.round(at - from)} ms`);
      await sleep(1_000);
    }
    return false;
  }
}

function grpc(port, authorization) {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set("authorization", authorization);
  const bytes = (message) => message;
  const send = (value) =>
    new Promise((resolve) => {
      client.makeUnaryRequest(GRPC_PATH, bytes, bytes, protobufOf(value), metadata, (error, body) => {
        const code = error?.code ?? 0;
        const status = STATUS_OF_CODE[code];
        resolve(status === undefined ? { error: `gRPC ${code} ${error.details}` } : { status, body });
      });
    });
  return { send, close: () => client.close(), nothing: "" };
}
