// What benches measure that the package does not export: built from its sources, as the package is.
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/**
 * @param {readonly string[]} files modules of `src/`, for example `cli/run`
 * @returns the exports of each
 */
export async function internals(...files) {
  const bundle = await rolldown({
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    input: Object.fromEntries(files.map((file) => [file, `src/${file}.ts`])),
    platform: "neutral",
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
  });
  const dir = fileURLToPath(new URL("../.tmp/internals/", import.meta.url));
  await bundle.write({ dir, format: "esm", entryFileNames: "[name].js" });
  await bundle.close();
  return Promise.all(files.map((file) => import(`${dir}${file}.js`)));
}
