// Sends requests to one service as senders do that follow OTLP: told to wait, they wait and send the same again.
import { Agent } from "node:http";
import { performance } from "node:perf_hooks";
import { post, rejectedIn } from "./serve-load.mjs";

const PROTOBUF = { type: "application/x-protobuf" };
const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

export class Sender {
  /** Spans in requests that were taken, those of them that were not (partial success), and answers of 429 or 503. */
  counts = { spans: 0, rejected: 0, refused: 0 };
  /** Longest delay of a request behind its time, in seconds, since this was last set to 0. */
  behindSeconds = 0;
  #port;
  #connections;
  #agent;
  #next;

  /** @param {{ port: number, next: () => { body: Buffer, spans: number }, connections?: number }} options */
  constructor({ port, next, connections = 4 }) {
    this.#port = port;
    this.#next = next;
    this.#connections = connections;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** As fast as they are taken, while `goesOn`. */
  async saturate(goesOn) {
    await this.#all(async () => {
      while (goesOn()) await this.#send(this.#next());
    });
  }

  /** So many spans a second, while `goesOn`: each request has its time, whether those before have been answered or not. */
  async pace(spansPerSecond, goesOn) {
    const from = performance.now();
    let planned = 0;
    await this.#all(async () => {
      while (goesOn()) {
        const due = from + (planned / spansPerSecond) * 1_000;
        const request = this.#next();
        planned += request.spans;
        const early = due - performance.now();
        if (early > 0) await sleep(early);
        else this.behindSeconds = Math.max(this.behindSeconds, -early / 1_000);
        await this.#send(request);
      }
    });
  }

  close() {
    this.#agent.destroy();
  }

  async #all(worker) {
    await Promise.all(Array.from({ length: this.#connections }, worker));
  }

  async #send({ body, spans }) {
    for (;;) {
      const answer = await post(this.#port, PROTOBUF, body, this.#agent);
      if (answer.status === 200) {
        this.counts.spans += spans;
        this.counts.rejected += rejectedIn(answer.body);
        return;
      }
      if (answer.status !== 429 && answer.status !== 503)
        throw new Error(`answered with ${answer.status}: ${answer.body}`);
      this.counts.refused += 1;
      await sleep(answer.retrySeconds * 1_000);
    }
  }
}
