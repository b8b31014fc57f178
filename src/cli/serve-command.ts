import { resolveServeLimits } from "../serve/options.ts";
import { type Io, UsageError } from "./io.ts";
import { limitsIn, readNamed, type ServiceFlags, serviceSettings } from "./service-settings.ts";

export interface ServeOptions extends ServiceFlags {
  readonly grpcPort?: number | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

/** `serve`: takes spans over OTLP/HTTP until it is told to end, and scores them as they come. */
export async function serveCommand(options: ServeOptions, io: Io): Promise<number> {
  const service = await serviceSettings(options, io);
  const tls = await tlsOf(options, io.cwd);
  const limits = limitsIn("serve", service, options.config, resolveServeLimits);
  const { startService } = await import("../serve/service.ts");
  const running = await startService({ ...service.common, grpcPort: options.grpcPort, tls, limits });
  await io.untilStopped?.();
  return (await running.stop()) ? 0 : 1;
}

async function tlsOf(
  { tlsCert, tlsKey }: ServeOptions,
  cwd: string,
): Promise<{ readonly cert: Buffer; readonly key: Buffer } | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) throw new UsageError("--tls-cert and --tls-key go together");
  return { cert: await readNamed(tlsCert, cwd), key: await readNamed(tlsKey, cwd) };
}
