import { type Agent, request } from "node:http";
import { type EngineOptions, resolveEngineOptions } from "../../src/pipeline/options.ts";
import { resolveServeLimits, type ServeLimits } from "../../src/serve/options.ts";
import type { EmittedRow } from "../../src/serve/row-output.ts";
import { type Service, type ServiceOptions, startService } from "../../src/serve/service.ts";

/** A service on a free port whose rows and log lines are kept. */
export interface TestService extends Service {
  readonly port: number;
  rows(): readonly EmittedRow[];
  log(): readonly Record<string, unknown>[];
}

const lines = <T>(text: string): T[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);

export async function start(
  given: Partial<Omit<ServiceOptions, "limits" | "engine">> & {
    readonly limits?: Partial<ServeLimits>;
    readonly engine?: EngineOptions;
  } = {},
): Promise<TestService> {
  const written = { rows: "", log: "" };
  const service = await startService({
    host: "127.0.0.1",
    port: 0,
    grpcPort: undefined,
    token: undefined,
    tls: undefined,
    expectations: undefined,
    policy: { emitContent: false, sessionId: "plain" },
    otlp: false,
    spans: false,
    metricIntervalMillis: 60_000,
    rows: {
      write: (text) => {
        written.rows += text;
        return true;
      },
    },
    log: {
      write: (text) => {
        written.log += text;
      },
    },
    ...given,
    engine: resolveEngineOptions(given.engine ?? {}),
    limits: resolveServeLimits({ ...given.limits }),
  });
  return {
    ...service,
    port: Number(new URL(service.url).port),
    rows: () => lines(written.rows),
    log: () => lines(written.log),
  };
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
  json(): Record<string, unknown>;
}

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string | Uint8Array | undefined;
  readonly agent?: Agent;
}

export const JSON_TYPE = { "content-type": "application/json" };
export const PROTOBUF_TYPE = { "content-type": "application/x-protobuf" };

/** One request over a real socket. */
export function ask(
  port: number,
  { method = "POST", path = "/v1/traces", headers, body, agent }: Asked,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, method, path, headers: { ...headers }, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const whole = Buffer.concat(chunks);
        const text = whole.toString("utf8");
        const { statusCode: status = 0, headers: given } = response;
        resolve({ status, headers: given, body: whole, text, json: () => JSON.parse(text) });
      });
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

/** Posts one request of OTLP/JSON. */
export function post(port: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return ask(port, { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(value) });
}
