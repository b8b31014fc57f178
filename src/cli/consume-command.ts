import { resolveConsumeLimits } from "../kafka/options.ts";
import type { Connection } from "../kafka/platformatic.ts";
import { type Io, UsageError } from "./io.ts";
import { limitsIn, readNamed, type ServiceFlags, serviceSettings } from "./service-settings.ts";

/** How records are encoded. */
export const ENCODINGS = ["auto", "otlp_proto", "otlp_json"] as const;
/** What a process does. */
export const STAGES = ["both", "traces", "sessions"] as const;
/** Ways of saying who we are. */
export const MECHANISMS = ["plain", "scram-sha-256", "scram-sha-512", "oauthbearer"] as const;

export interface ConsumeOptions extends ServiceFlags {
  readonly brokers: readonly string[];
  readonly topic: readonly string[];
  readonly encoding: (typeof ENCODINGS)[number];
  readonly group: string;
  readonly sessionTopic: string;
  readonly deadLetterTopic?: string | undefined;
  readonly stage: (typeof STAGES)[number];
  readonly from: "earliest" | "latest";
  readonly tls?: boolean | undefined;
  readonly tlsCa?: string | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly sasl?: (typeof MECHANISMS)[number] | undefined;
}

/** `consume`: reads spans from Kafka until it is told to end, and scores them as they come. */
export async function consumeCommand(options: ConsumeOptions, io: Io): Promise<number> {
  if (options.stage !== "sessions" && options.topic.length === 0) {
    throw new UsageError("--topic: expected the topic that the spans are in");
  }
  const service = await serviceSettings(options, io);
  const connection = {
    brokers: brokersOf(options.brokers),
    tls: await tlsOf(options, io.cwd),
    sasl: saslOf(options, io.env ?? {}),
  };
  const limits = limitsIn("consume", service, options.config, resolveConsumeLimits);
  const { startConsumeService } = await import("../kafka/service.ts");
  const running = await startConsumeService({
    ...service.common,
    connection,
    limits,
    topics: options.topic,
    encoding: ENCODING_OF[options.encoding],
    groupId: options.group,
    sessionTopic: options.sessionTopic,
    deadLetterTopic: options.deadLetterTopic,
    stage: options.stage,
    from: options.from,
  });
  await io.untilStopped?.();
  return (await running.stop()) ? 0 : 1;
}

const ENCODING_OF = { auto: undefined, otlp_proto: "protobuf", otlp_json: "json" } as const;

function brokersOf(given: readonly string[]): readonly string[] {
  const brokers = given.flatMap((text) => text.split(",")).map((text) => text.trim());
  for (const broker of brokers) {
    const port = Number(/^[^\s/]+:(\d{1,5})$/.exec(broker)?.[1] ?? 0);
    if (port < 1 || port > 65_535) {
      throw new UsageError(`--brokers: expected host:port, several separated by commas; got ${JSON.stringify(broker)}`);
    }
  }
  return brokers;
}

async function tlsOf(
  { tls, tlsCa, tlsCert, tlsKey }: ConsumeOptions,
  cwd: string,
): Promise<{ readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer } | undefined> {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw new UsageError("--tls-cert and --tls-key go together");
  if (tls !== true && tlsCa === undefined && tlsCert === undefined) return undefined;
  return {
    ...(tlsCa === undefined ? {} : { ca: await readNamed(tlsCa, cwd) }),
    ...(tlsCert === undefined ? {} : { cert: await readNamed(tlsCert, cwd) }),
    ...(tlsKey === undefined ? {} : { key: await readNamed(tlsKey, cwd) }),
  };
}

const MECHANISM_OF = {
  plain: "PLAIN",
  "scram-sha-256": "SCRAM-SHA-256",
  "scram-sha-512": "SCRAM-SHA-512",
  oauthbearer: "OAUTHBEARER",
} as const;

/** Secrets come from the environment: a command line is for everybody on the machine to read. */
function saslOf({ sasl }: ConsumeOptions, env: NonNullable<Io["env"]>): Connection["sasl"] {
  if (sasl === undefined) return undefined;
  const mechanism = MECHANISM_OF[sasl];
  const secret = (name: string): string => {
    const value = env[name] ?? "";
    if (value === "") throw new UsageError(`--sasl ${sasl}: set ${name} in the environment`);
    return value;
  };
  if (sasl === "oauthbearer") return { mechanism, token: secret("KAFKA_SASL_TOKEN") };
  return { mechanism, username: secret("KAFKA_SASL_USERNAME"), password: secret("KAFKA_SASL_PASSWORD") };
}
