// Does what examples/deploy/docker/Dockerfile says, step by step, in folders of this machine: there need be no Docker.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DockerfileParser } from "dockerfile-ast";
import { npm } from "../../scripts/support/project.mjs";
import { answers, end, freePort, ready, start } from "../support/processes.mjs";

const source = fileURLToPath(new URL("../../examples/deploy/docker/", import.meta.url));

/** The folder of somebody who builds the image: this build of the package stands in for the one of the registry. */
async function context(folder, tarball) {
  mkdirSync(folder);
  copyFileSync(join(source, "Dockerfile"), join(folder, "Dockerfile"));
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  manifest.dependencies["otel-trajectory"] = `file:${tarball}`;
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const { code, output } = await npm(["install", "--package-lock-only"], { cwd: folder });
  if (code !== 0) throw new Error(`no lock file:\n${output}`);
}

/** Runs the steps; returns the root folder of the last stage and what its container would run. */
function build(folder, built) {
  const config = { env: {}, user: undefined };
  const stages = new Map();
  let stage;
  let cwd = "/";
  const inStage = (path) => join(stage, path.startsWith("/") ? path : join(cwd, path));
  for (const instruction of DockerfileParser.parse(
    readFileSync(join(folder, "Dockerfile"), "utf8"),
  ).getInstructions()) {
    const text = instruction.getArgumentsContent() ?? "";
    const words = () => instruction.getJSONStrings().map((each) => JSON.parse(each.getValue()));
    switch (instruction.getKeyword()) {
      case "FROM":
        stage = join(built, String(stages.size));
        stages.set(instruction.getBuildStage() ?? "", stage);
        mkdirSync(stage, { recursive: true });
        break;
      case "WORKDIR":
        cwd = text;
        mkdirSync(inStage("."), { recursive: true });
        break;
      case "COPY": {
        const from = instruction.getFromFlag()?.getValue();
        const paths = instruction.getArguments().map((argument) => argument.getValue());
        const to = paths.pop();
        for (const path of paths) {
          const target = inStage(
            to.endsWith("/") && !/node_modules/.test(path) ? join(to, path.split("/").at(-1)) : to,
          );
          cpSync(join(from === undefined ? folder : stages.get(from), path), target, { recursive: true });
        }
        break;
      }
      case "RUN":
        execFileSync("sh", ["-c", text], { cwd: inStage("."), stdio: ["ignore", "pipe", "pipe"] });
        break;
      case "ENV": {
        const [name, value] = text.split("=");
        config.env[name] = value;
        break;
      }
      case "USER":
        config.user = text.split(":").map(Number);
        break;
      case "HEALTHCHECK":
        config.health = JSON.parse(text.slice(text.indexOf("[")));
        break;
      case "ENTRYPOINT":
        config.entrypoint = words();
        break;
      case "CMD":
        config.command = words();
        break;
      case "STOPSIGNAL":
        config.signal = text;
        break;
      case "ARG":
      case "EXPOSE":
        break;
      default:
        throw new Error(`unknown step ${instruction.getKeyword()}`);
    }
  }
  return { ...config, root: stage };
}

const TRACE = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: "0af7651916cd43dd8448eb211c80319c",
              spanId: "b7ad6b7169203331",
              name: "invoke_agent a",
              startTimeUnixNano: "1780000000000000000",
              endTimeUnixNano: "1780000001000000000",
              attributes: [
                { key: "gen_ai.operation.name", value: { stringValue: "invoke_agent" } },
                { key: "aip.expected_steps", value: { stringValue: '["search"]' } },
              ],
            },
          ],
        },
      ],
    },
  ],
};

/**
 * Builds, starts, checks the health of, feeds and ends the image.
 *
 * @param {string} tarball the packed package
 * @returns {Promise<string>} what was seen, in one line
 * @throws {Error} where anything differs from what it should be
 */
export async function imageRun(tarball) {
  const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-image-"));
  try {
    await context(join(folder, "context"), tarball);
    const image = build(join(folder, "context"), join(folder, "stages"));
    // Nobody may write to it, and others may read it.
    chmodSync(folder, 0o755);
    execFileSync("chmod", ["-R", "a+rX,a-w", image.root]);
    const [http, grpc] = [await freePort(), await freePort()];
    const local = (word) =>
      word
        .replace("/app/", `${image.root}/app/`)
        .replace("0.0.0.0", "127.0.0.1")
        .replace("4317", String(grpc))
        .replace("4318", String(http));
    const port = image.command.includes("--port") ? [] : ["--port", String(http)];
    const [file, ...args] = [...image.entrypoint, ...image.command, ...port].map(local);
    const [uid, gid] = image.user;
    // Only root may become somebody else; whoever else runs this is nobody in particular already.
    const user = process.getuid?.() === 0 ? { uid, gid } : {};
    const options = { ...user, cwd: join(image.root, "app") };
    const healthy = () => {
      const [command, ...rest] = image.health.slice(0).map(local);
      try {
        execFileSync(command, rest, { ...options, stdio: "ignore" });
        return true;
      } catch {
        return false;
      }
    };
    if (healthy()) throw new Error("healthy before it runs");
    const service = start("image", file === "node" ? process.execPath : file, args, image.env, options);
    await ready(service, healthy);
    if (!(await answers(grpc))) throw new Error("nothing listens for gRPC");
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(TRACE);
    const { status } = await fetch(`http://127.0.0.1:${http}/v1/traces`, { method: "POST", headers, body });
    await end(service, image.signal);
    const { exitCode } = service.child;
    const rows = service.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const seen = { status, exitCode, scores: rows.map(({ score }) => score), healthy: healthy() };
    const expected = { status: 200, exitCode: 0, scores: [0], healthy: false };
    if (JSON.stringify(seen) !== JSON.stringify(expected)) {
      throw new Error(`${JSON.stringify(seen)}, expected ${JSON.stringify(expected)}\n${service.stderr}`);
    }
    const scripts = existsSync(join(image.root, "app", "package-lock.json"));
    if (scripts) throw new Error("the lock file is in the image");
    const size = execFileSync("du", ["-sm", join(image.root, "app")], { encoding: "utf8" }).split("\t")[0];
    return `${size} MB beside Node`;
  } finally {
    execFileSync("chmod", ["-R", "u+w", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}
