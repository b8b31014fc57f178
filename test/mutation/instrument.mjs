// The sources with every change in them at once, each behind a switch, and one folder's tests, as one script: who
// evaluates it turns one of them on. The changes, and where they may stand, are Stryker's.
import { readFileSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { rootPath } from "../../scripts/support/project.mjs";

/** Installed by `run.mjs`. */
export const INSTRUMENTER = "stryker/node_modules/@stryker-mutator/instrumenter/dist/src/index.js";

const silent = () => {};
const logger = Object.fromEntries(["trace", "debug", "info", "warn", "error", "fatal"].map((level) => [level, silent]));

/**
 * @param {readonly string[]} sources files to be changed, from the root of the project
 * @returns {Promise<{ mutants: readonly object[], texts: Map<string, string> }>} the changes, and the changed files
 */
export async function instrument(sources) {
  const { Instrumenter } = await import(new URL(INSTRUMENTER, import.meta.url).href);
  const files = sources.map((name) => ({ name, mutate: true, content: readFileSync(`${rootPath}${name}`, "utf8") }));
  const options = { plugins: null, ignorers: [], excludedMutations: [], noHeader: true };
  const result = await new Instrumenter({ ...logger, isDebugEnabled: () => false }).instrument(files, options);
  return { mutants: result.mutants, texts: new Map(result.files.map(({ name, content }) => [name, content])) };
}

/**
 * @param {readonly string[]} tests files, from the root of the project
 * @param {Map<string, string>} texts of the changed files
 * @returns {Promise<{ code: string, imports: readonly string[] }>} the body of the script, and what it requires
 */
export async function bundle(tests, texts) {
  const entry = "mutation:entry";
  const loads = ["test/setup.ts", ...tests].map((file) => `${JSON.stringify(file)}: () => import("/${file}")`);
  const plugin = {
    name: "mutation",
    resolveId: (id) => (id === entry ? id : id.startsWith("/test/") ? `${rootPath}${id.slice(1)}` : undefined),
    load: (id) => (id === entry ? `export const load = { ${loads.join(", ")} };` : undefined),
    transform(code, id) {
      const changed = texts.get(relative(rootPath, id));
      if (changed !== undefined) return { code: changed, map: null };
      const url = JSON.stringify(pathToFileURL(id).href);
      return code.includes("import.meta.url")
        ? { code: code.replaceAll("import.meta.url", url), map: null }
        : undefined;
    },
  };
  const built = await rolldown({
    cwd: rootPath,
    input: entry,
    platform: "node",
    plugins: [plugin],
    resolve: { alias: { "#files": `${rootPath}src/files/index.ts` } },
    external: (id) => id !== entry && !id.startsWith(".") && !id.startsWith("#") && !isAbsolute(id),
  });
  const { output } = await built.generate({ format: "cjs", exports: "named", codeSplitting: false });
  await built.close();
  const [{ code, imports }] = output;
  return { code, imports };
}
