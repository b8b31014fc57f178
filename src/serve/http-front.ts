import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import {
  type Answer,
  BUSY,
  bodyOf,
  type Encoding,
  encodingOf,
  MEDIA_TYPES,
  type ProtobufWriter,
  retryLater,
} from "./answers.ts";
import type { TokenCheck } from "./auth.ts";
import { inflate, PendingBytes, readBody, tooLarge } from "./body.ts";
import type { ServeLimits } from "./options.ts";
import { Slots } from "./slots.ts";

/** What stands behind a front that takes spans. */
export interface Intake {
  /** Takes one decompressed request with spans. Never throws. */
  take(body: Buffer, encoding: Encoding): Answer;
  /** Why a request of so many bytes cannot be taken now; undefined where it can. */
  full(bytes: number): string | undefined;
  /** Resolves with whether a request may be read, or has waited for too long; undefined: it may, at once. Never rejects. */
  turn(): Promise<boolean> | undefined;
}

/** What stands behind the front. */
export interface Backend {
  /** Where spans go; undefined: there is nothing at their path. */
  readonly intake?: Intake | undefined;
  /** Why no traffic should be sent here yet; undefined where it may. */
  notReady(): string | undefined;
  /** Answers with metrics in Prometheus's text format. */
  metrics(request: IncomingMessage, response: ServerResponse): void;
  /** A request has been answered. */
  answered(request: AnsweredRequest): void;
  /** A request could not be answered as it should, for a fault of ours. */
  problem(error: unknown): void;
  newWriter(): ProtobufWriter;
}

/** A request as metrics know it. */
export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Certificate and key, PEM. */
export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** How long a client that is still sending a refused body is listened to, so that it gets to read the answer. */
const LINGER_MILLIS = 1_000;
/** How often connections are looked through for slow ones. */
const CHECK_MILLIS = 500;

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"]);
/** Proxies may send it before the path, and a server has to take it. */
const ORIGIN = /^https?:\/\/[^/?]*/i;
const ROUTES = new Set(["/v1/traces", "/healthz", "/readyz", "/metrics"]);

/** The HTTP server: who may ask for what, and how much of it. */
export class HttpFront {
  readonly #backend: Backend;
  readonly #limits: ServeLimits;
  readonly #token: TokenCheck;
  readonly #pending: PendingBytes;
  readonly #server: Server;
  readonly #slots: Slots;
  #draining = false;
  /** Draining has taken its time: what still comes would not be scored. */
  #over = false;
  /** Connections that were closed because there were too many. */
  dropped = 0;
  /** Told when the last request that was under way has been answered. */
  #onIdle: () => void = () => undefined;

  constructor(backend: Backend, limits: ServeLimits, token: TokenCheck, tls?: Tls | undefined) {
    this.#backend = backend;
    this.#limits = limits;
    this.#token = token;
    this.#pending = new PendingBytes(limits.maxPendingBytes);
    this.#slots = new Slots(limits.maxConcurrentRequests, () => this.#onIdle());
    const options: ServerOptions = {
      headersTimeout: Math.min(limits.headersTimeoutMillis, limits.requestTimeoutMillis),
      requestTimeout: limits.requestTimeoutMillis,
      keepAliveTimeout: limits.keepAliveMillis,
      connectionsCheckingInterval: CHECK_MILLIS,
      noDelay: true,
    };
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#handle(request, response).catch((error: unknown) => this.#failed(response, error));
    };
    this.#server =
      tls === undefined
        ? createServer(options, handle)
        : createTlsServer({ ...options, ...tls, handshakeTimeout: limits.headersTimeoutMillis }, handle);
    this.#server.maxConnections = limits.maxConnections;
    // A client that does not read its answer is not waited for.
    this.#server.timeout = limits.requestTimeoutMillis + limits.keepAliveMillis;
    this.#server.on("drop", () => {
      this.dropped += 1;
    });
  }

  /** Requests with spans that are under way. */
  get active(): number {
    return this.#slots.active;
  }

  /** @throws Error (rejects) where the address cannot be bound to */
  async listen(port: number, host: string): Promise<AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        // For example when there are no more file descriptors: connections that exist go on.
        this.#server.on("error", () => {
          this.dropped += 1;
        });
        resolve();
      });
    });
    return this.#server.address() as AddressInfo;
  }

  /** Takes no connection and no span any more; resolves when nothing is under way, or after `millis`. */
  async drain(millis: number): Promise<void> {
    this.#draining = true;
    this.#server.close();
    this.#server.closeIdleConnections();
    if (this.#slots.active === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#over = true;
        resolve();
      }, millis);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Closes what is still open. */
  close(): void {
    this.#server.closeAllConnections();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const path = (request.url ?? "").replace(ORIGIN, "").split("?")[0] ?? "";
    response.on("error", () => undefined);
    response.once("close", () => {
      this.#backend.answered({
        method: METHODS.has(request.method ?? "") ? (request.method as string) : "_OTHER",
        route: ROUTES.has(path) ? path : "",
        status: response.headersSent ? response.statusCode : 499,
        seconds: (performance.now() - started) / 1_000,
      });
    });
    const { intake } = this.#backend;
    if (path === "/v1/traces" && intake !== undefined) await this.#traces(request, response, intake);
    else if (path === "/healthz") this.#look(request, response, undefined);
    else if (path === "/readyz") this.#look(request, response, this.#draining ? DRAINING : this.#backend.notReady());
    else if (path === "/metrics") this.#metrics(request, response);
    else this.#answer(request, response, NOT_FOUND);
  }

  /** One request must not end the process, and with it what is held. */
  #failed(response: ServerResponse, error: unknown): void {
    this.#backend.problem(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { connection: "close", "content-length": 0 }).end();
  }

  async #traces(request: IncomingMessage, response: ServerResponse, intake: Intake): Promise<void> {
    const encoding = encodingOf(request.headers["content-type"]);
    const refusal = this.#refuse(request, encoding, intake);
    if (refusal !== undefined || encoding === undefined) {
      this.#answer(request, response, refusal ?? WRONG_TYPE, encoding);
      return;
    }
    const slot = this.#slots.take();
    if (slot === undefined) {
      this.#answer(request, response, BUSY, encoding);
      return;
    }
    try {
      const turn = intake.turn();
      const mayPass = turn === undefined || (await turn);
      // Its sender has gone away meanwhile.
      if (request.destroyed) return;
      if (!mayPass) {
        this.#answer(request, response, BEHIND, encoding);
        return;
      }
      const body = await readBody(request, this.#pending, this.#limits.maxRequestBytes, slot);
      if (body !== undefined) this.#answer(request, response, this.#take(request, body, encoding, intake), encoding);
    } finally {
      slot.release();
    }
  }

  #take(request: IncomingMessage, body: Buffer | Answer, encoding: Encoding, intake: Intake): Answer {
    if (!Buffer.isBuffer(body)) return body;
    if (this.#over) return retryLater(503, DRAINING);
    const plain = inflate(body, isGzip(request), this.#limits);
    if (!Buffer.isBuffer(plain)) return plain;
    const full = intake.full(plain.length);
    return full === undefined ? intake.take(plain, encoding) : retryLater(429, full);
  }

  /** Why a request is refused before its body is read. */
  #refuse(request: IncomingMessage, encoding: Encoding | undefined, intake: Intake): Answer | undefined {
    const { method, headers } = request;
    if (!this.#token(headers.authorization)) return UNAUTHENTICATED;
    if (method !== "POST") return notAllowed("POST");
    if (encoding === undefined) return WRONG_TYPE;
    if (!CODINGS.has(codingOf(request))) return WRONG_CODING;
    if (this.#draining) return retryLater(503, DRAINING);
    const bytes = Number(headers["content-length"] ?? 0);
    if (bytes > this.#limits.maxRequestBytes) return tooLarge(this.#limits.maxRequestBytes);
    const full = intake.full(bytes);
    return full === undefined ? undefined : retryLater(429, full);
  }

  /** Health and readiness: for everybody, and nothing but a word. */
  #look(request: IncomingMessage, response: ServerResponse, problem: string | undefined): void {
    if (!isLook(request)) {
      this.#answer(request, response, notAllowed("GET, HEAD"));
      return;
    }
    const status = problem === undefined ? 200 : 503;
    const text = JSON.stringify({ status: problem ?? "ok" });
    response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    this.#end(request, response, text);
  }

  #metrics(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#token(request.headers.authorization)) this.#answer(request, response, UNAUTHENTICATED);
    else if (isLook(request)) this.#backend.metrics(request, response);
    else this.#answer(request, response, notAllowed("GET, HEAD"));
  }

  #answer(request: IncomingMessage, response: ServerResponse, answer: Answer, encoding: Encoding = "json"): void {
    const body = bodyOf(answer, encoding, () => this.#backend.newWriter());
    // What is left of a refused body is not worth reading for the sake of the connection.
    const close = this.#draining || !request.complete;
    response.writeHead(answer.status, {
      ...answer.headers,
      "content-type": MEDIA_TYPES[encoding],
      "content-length": Buffer.byteLength(body),
      ...(close ? { connection: "close" } : {}),
    });
    this.#end(request, response, body);
  }

  /**
   * Sends the answer. Closing a connection while its client is still sending resets it, and the client never gets to
   * read the answer: so what still comes is read and forgotten for a while.
   */
  #end(request: IncomingMessage, response: ServerResponse, body: Uint8Array | string): void {
    const hasBody = request.method !== "HEAD" && body.length > 0;
    if (request.complete) {
      response.end(hasBody ? body : undefined);
      return;
    }
    if (hasBody) response.write(body);
    else response.flushHeaders();
    const socket: Socket = request.socket;
    const timer = setTimeout(() => socket.destroy(), LINGER_MILLIS);
    response.once("close", () => clearTimeout(timer));
    request.once("end", () => response.end());
    request.resume();
  }
}

const DRAINING = "the service is shutting down";
/** The answer to a request that has waited too long for its turn. */
export const BEHIND: Answer = retryLater(429, "spans come faster than they are scored");
const NOT_FOUND: Answer = { status: 404, message: "there is nothing here; spans go to POST /v1/traces" };
const UNAUTHENTICATED: Answer = {
  status: 401,
  message: "the request needs the bearer token of this service",
  headers: { "www-authenticate": "Bearer" },
};
const WRONG_TYPE: Answer = {
  status: 415,
  message: `content-type must be ${MEDIA_TYPES.protobuf} or ${MEDIA_TYPES.json}`,
};
const WRONG_CODING: Answer = {
  status: 415,
  message: "content-encoding must be gzip or identity",
  headers: { "accept-encoding": "gzip, identity" },
};

function notAllowed(allow: string): Answer {
  return { status: 405, message: `the method must be one of ${allow}`, headers: { allow } };
}

const CODINGS: ReadonlySet<string> = new Set(["identity", "gzip", "x-gzip"]);

function codingOf(request: IncomingMessage): string {
  const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  return coding === "" ? "identity" : coding;
}

function isGzip(request: IncomingMessage): boolean {
  return codingOf(request).endsWith("gzip");
}

function isLook(request: IncomingMessage): boolean {
  return request.method === "GET" || request.method === "HEAD";
}
