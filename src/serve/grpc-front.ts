import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { ConnectionInjector, Metadata, ServerInterceptor } from "@grpc/grpc-js";
import { type Answer, BUSY, bodyOf, retryLater, statusDetails } from "./answers.ts";
import type { TokenCheck } from "./auth.ts";
import { type Backend, BEHIND, type Intake, type Tls } from "./http-front.ts";
import type { ServeLimits } from "./options.ts";
import type { Loaded } from "./packages.ts";
import { type Slot, Slots } from "./slots.ts";

type Grpc = Loaded<"@grpc/grpc-js">["@grpc/grpc-js"];

/** What a gRPC server needs of the service. */
export type GrpcBackend = Intake &
  Pick<Backend, "newWriter" | "problem"> & {
    /** A call has been answered with this gRPC status code; 0 is success. */
    called(code: number): void;
  };

const PATH = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/** gRPC's codes for our answers. OTLP has senders try again after UNAVAILABLE, for which `RetryInfo` says when. */
const CODES: Readonly<Record<number, number>> = { 200: 0, 400: 3, 401: 16, 413: 8, 429: 14, 503: 14 };
const INTERNAL = 13;
const DEADLINE_EXCEEDED = 4;

/**
 * OTLP/gRPC: the same answers as over HTTP, in gRPC's words. Messages stay bytes: what is in them is the backend's to read.
 *
 * The library limits neither connections nor how long a call takes, and reads a message before it asks a handler. So the
 * listening socket is ours, and whether a call may come in is decided by its metadata.
 */
export class GrpcFront {
  readonly #backend: GrpcBackend;
  readonly #limits: ServeLimits;
  readonly #token: TokenCheck;
  readonly #grpc: Grpc;
  readonly #server: InstanceType<Grpc["Server"]>;
  readonly #injector: ConnectionInjector;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  readonly #slots: Slots;
  #draining = false;
  /** Connections that were closed because there were too many. */
  dropped = 0;

  constructor(grpc: Grpc, backend: GrpcBackend, limits: ServeLimits, token: TokenCheck, tls?: Tls | undefined) {
    this.#grpc = grpc;
    this.#backend = backend;
    this.#limits = limits;
    this.#token = token;
    this.#slots = new Slots(limits.maxConcurrentRequests);
    this.#server = new grpc.Server({
      // Of a message as it is sent, and decompressed.
      "grpc.max_receive_message_length": limits.maxRequestBytes,
      "grpc.max_concurrent_streams": limits.maxConcurrentRequests,
      "grpc.max_connection_idle_ms": limits.keepAliveMillis,
      interceptors: [this.#guard()],
    });
    const bytes = (message: Uint8Array): Buffer => Buffer.from(message);
    const method = {
      path: PATH,
      requestStream: false as const,
      responseStream: false as const,
      requestSerialize: bytes,
      requestDeserialize: (message: Buffer) => message,
      responseSerialize: bytes,
      responseDeserialize: (message: Buffer) => message,
    };
    this.#server.addService(
      { Export: method },
      {
        Export: (call: Call, done: Done) => this.#export(call, done),
      },
    );
    // Encryption is the listener's: of handshakes that take for ever the library knows nothing.
    this.#injector = this.#server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
    const connected = (socket: Socket): void => {
      socket.on("error", () => undefined);
      this.#injector.injectConnection(socket);
    };
    const handshake = { handshakeTimeout: limits.headersTimeoutMillis, ALPNProtocols: ["h2"] };
    this.#listener =
      tls === undefined
        ? createServer({ noDelay: true }, connected)
        : createTlsServer({ ...tls, ...handshake, noDelay: true }, connected);
    // What went wrong before a connection was one, its time being up among it; nobody else closes the socket.
    this.#listener.on("tlsClientError", (_: Error, socket: Socket) => socket.destroy());
    this.#listener.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#listener.maxConnections = limits.maxConnections;
    this.#listener.on("drop", () => {
      this.dropped += 1;
    });
  }

  /** Gives the port. @throws Error (rejects) where the address cannot be bound to */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#listener.once("error", reject);
      this.#listener.listen(port, host, () => {
        this.#listener.off("error", reject);
        // For example when there are no more file descriptors: connections that exist go on.
        this.#listener.on("error", () => {
          this.dropped += 1;
        });
        resolve();
      });
    });
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Takes no call any more; resolves when none is under way, or after `millis`. */
  async drain(millis: number): Promise<void> {
    this.#draining = true;
    this.#listener.close();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, millis);
      this.#server.tryShutdown(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#server.forceShutdown();
    // Those that have not shaken hands yet: the library knows nothing of them, and the process would wait for them.
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Turns calls away before their message is read, and those that take too long. */
  #guard(): ServerInterceptor {
    const { ServerInterceptingCall, ServerListenerBuilder, ResponderBuilder } = this.#grpc;
    return (_, call) => {
      let slot: Slot | undefined;
      let timer: NodeJS.Timeout | undefined;
      const release = (): void => {
        clearTimeout(timer);
        slot?.release();
        slot = undefined;
      };
      const refuse = (status: Status): void => {
        release();
        call.sendStatus(status);
        this.#backend.called(status.code);
      };
      /** A fault of ours: it must not end the process, and with it what is held. */
      const failed = (error: unknown): void => {
        this.#backend.problem(error);
        refuse({ code: INTERNAL, details: "" });
      };
      const admit = (metadata: Metadata, pass: (metadata: Metadata) => void): void => {
        const answer = this.#refuse(metadata);
        slot = answer === undefined ? this.#slots.take() : undefined;
        if (slot === undefined) {
          refuse(this.#statusOf(answer ?? BUSY));
          return;
        }
        const passOn = (): void => {
          // Its message comes next, and is taken in the turn in which it is whole.
          slot?.receiving(() => refuse(this.#statusOf(BUSY)));
          pass(metadata);
        };
        const details = "the call took too long";
        timer = setTimeout(() => refuse({ code: DEADLINE_EXCEEDED, details }), this.#limits.requestTimeoutMillis);
        const turn = this.#backend.turn();
        if (turn === undefined) passOn();
        else {
          const passed = turn.then((mayPass) => {
            // Its sender, or its time, is gone meanwhile.
            if (slot === undefined) return;
            if (mayPass) passOn();
            else refuse(this.#statusOf(BEHIND));
          });
          passed.catch(failed);
        }
      };
      const listener = new ServerListenerBuilder()
        .withOnReceiveMetadata((metadata, pass) => {
          try {
            admit(metadata, pass);
          } catch (error) {
            failed(error);
          }
        })
        // Said when its stream has closed, however that came about.
        .withOnCancel(release)
        .build();
      const responder = new ResponderBuilder()
        .withStart((next) => next(listener))
        .withSendStatus((status, next) => {
          release();
          next(status);
        })
        .build();
      return new ServerInterceptingCall(call, responder);
    };
  }

  #refuse(metadata: Metadata): Answer | undefined {
    if (!this.#token(metadata.get("authorization")[0]?.toString())) {
      return { status: 401, message: "the call needs the bearer token of this service" };
    }
    return this.#draining ? retryLater(503, "the service is shutting down") : undefined;
  }

  #export(call: Call, done: Done): void {
    try {
      this.#answer(call, done);
    } catch (error) {
      this.#backend.problem(error);
      done({ code: INTERNAL, details: "" });
      this.#backend.called(INTERNAL);
    }
  }

  #answer({ request }: Call, done: Done): void {
    const full = this.#backend.full(request.length);
    const answer = full === undefined ? this.#backend.take(request, "protobuf") : retryLater(429, full);
    const status = this.#statusOf(answer);
    if (status.code === 0) done(null, Buffer.from(bodyOf(answer, "protobuf", () => this.#backend.newWriter())));
    else done(status);
    this.#backend.called(status.code);
  }

  #statusOf({ status, message = "", headers }: Answer): Status {
    const code = CODES[status] ?? INTERNAL;
    const metadata = new this.#grpc.Metadata();
    const seconds = headers?.["retry-after"];
    if (seconds !== undefined) {
      const details = statusDetails(code, message, Number(seconds), () => this.#backend.newWriter());
      metadata.set("grpc-status-details-bin", Buffer.from(details));
    }
    return { code, details: message, metadata };
  }
}

interface Call {
  readonly request: Buffer;
}
interface Status {
  readonly code: number;
  readonly details: string;
  readonly metadata?: Metadata;
}
type Done = (error: object | null, response?: Buffer) => void;
