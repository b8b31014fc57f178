import { TrajectoryError } from "../model/errors.ts";

/** A package that only `serve` needs, so that nobody else has to install it. */
export interface NeededPackage<T> {
  readonly name: string;
  readonly load: () => Promise<T>;
}

/** One that is loaded when it is asked for. */
export function needed<T>(name: string, load: () => Promise<T>): NeededPackage<T> {
  return { name, load };
}

/**
 * Loads packages, all at once.
 *
 * @throws TrajectoryError (rejects) `invalid_option` with the command that installs those that are missing
 */
export async function loadPackages<T extends Readonly<Record<string, NeededPackage<unknown>>>>(
  packages: T,
): Promise<{ readonly [K in keyof T]: T[K] extends NeededPackage<infer M> ? M : never }> {
  const missing: string[] = [];
  const loaded: Record<string, unknown> = {};
  await Promise.all(
    Object.entries(packages).map(async ([key, { name, load }]) => {
      try {
        loaded[key] = await load();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
        missing.push(name);
      }
    }),
  );
  if (missing.length > 0) {
    const command = `npm install ${missing.sort().join(" ")}`;
    throw new TrajectoryError("invalid_option", "", `serve needs packages that are not installed; run: ${command}`);
  }
  return loaded as { readonly [K in keyof T]: T[K] extends NeededPackage<infer M> ? M : never };
}
