import { type Answer, bodyOf, type ProtobufWriter, retryLater, statusDetails } from "./answers.ts";
import type { TokenCheck } from "./auth.ts";
import type { Backend, Tls } from "./http-front.ts";
import type { ServeLimits } from "./options.ts";
import type { Loaded } from "./packages.ts";

type Grpc = Loaded<"@grpc/grpc-js">["@grpc/grpc-js"];

/** What a gRPC server needs of the service. */
export type GrpcBackend = Pick<Backend, "take" | "full" | "newWriter"> & {
  /** A call has been answered with this gRPC status code; 0 is success. */
  called(code: number): void;
};

const PATH = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/** gRPC's codes for our answers. OTLP has senders try again after UNAVAILABLE, for which `RetryInfo` says when. */
const CODES: Readonly<Record<number, number>> = { 200: 0, 400: 3, 401: 16, 429: 14, 503: 14 };
const INTERNAL = 13;

/** OTLP/gRPC: the same answers as over HTTP, in gRPC's words. Messages stay bytes: what is in them is the backend's to read. */
export class GrpcFront {
  readonly #backend: GrpcBackend;
  readonly #token: TokenCheck;
  readonly #grpc: Grpc;
  readonly #server: InstanceType<Grpc["Server"]>;
  readonly #credentials: ReturnType<Grpc["ServerCredentials"]["createInsecure"]>;
  #draining = false;

  constructor(grpc: Grpc, backend: GrpcBackend, limits: ServeLimits, token: TokenCheck, tls?: Tls | undefined) {
    this.#grpc = grpc;
    this.#backend = backend;
    this.#token = token;
    this.#credentials =
      tls === undefined
        ? grpc.ServerCredentials.createInsecure()
        : grpc.ServerCredentials.createSsl(null, [{ cert_chain: tls.cert, private_key: tls.key }]);
    this.#server = new grpc.Server({
      // Of a message as it is sent, and decompressed.
      "grpc.max_receive_message_length": limits.maxRequestBytes,
      "grpc.max_concurrent_streams": limits.maxConcurrentRequests,
      "grpc.max_connection_idle_ms": limits.keepAliveMillis,
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
  }

  /** Gives the port. @throws Error (rejects) where the address cannot be bound to */
  listen(port: number, host: string): Promise<number> {
    const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, this.#credentials, (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
  }

  /** Takes no call any more; resolves when none is under way, or after `millis`. */
  async drain(millis: number): Promise<void> {
    this.#draining = true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, millis);
      this.#server.tryShutdown(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#server.forceShutdown();
  }

  #export(call: Call, done: Done): void {
    const answer = this.#answer(call);
    const code = CODES[answer.status] ?? INTERNAL;
    const newWriter = (): ProtobufWriter => this.#backend.newWriter();
    if (code === 0) done(null, Buffer.from(bodyOf(answer, "protobuf", newWriter)));
    else {
      const metadata = new this.#grpc.Metadata();
      const { message = "" } = answer;
      if (answer.headers?.["retry-after"] !== undefined) {
        const details = statusDetails(code, message, Number(answer.headers["retry-after"]), newWriter);
        metadata.set("grpc-status-details-bin", Buffer.from(details));
      }
      done({ code, details: message, metadata });
    }
    this.#backend.called(code);
  }

  #answer({ metadata, request }: Call): Answer {
    if (!this.#token(metadata.get("authorization")[0]?.toString())) {
      return { status: 401, message: "the call needs the bearer token of this service" };
    }
    if (this.#draining) return retryLater(503, "the service is shutting down");
    const full = this.#backend.full(request.length);
    return full === undefined ? this.#backend.take(request, "protobuf") : retryLater(429, full);
  }
}

interface Call {
  readonly metadata: { get(key: string): readonly (string | Buffer)[] };
  readonly request: Buffer;
}
type Done = (error: object | null, response?: Buffer) => void;
