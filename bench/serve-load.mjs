// The load of the benches of the service: that of the bench of `score`, in requests of 512 spans.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import protobufjs from "protobufjs";
import { writeOtlpFile } from "./otlp-file.mjs";

const LINES_PER_REQUEST = 8;
/** Where benches put their files. */
export const FOLDER = fileURLToPath(new URL("../.tmp/", import.meta.url));

/** Ids as bytes: the description of protobuf knows nothing of hex. */
function withBytes(key, value) {
  return /^(traceId|spanId|parentSpanId)$/.test(key) && typeof value === "string" ? Buffer.from(value, "hex") : value;
}

/** About so many megabytes of JSON, as requests: plain, and written in both encodings. Kept from run to run. */
export function serveLoad(megabytes) {
  const name = `serve-${megabytes}.jsonl`;
  mkdirSync(FOLDER, { recursive: true });
  if (!existsSync(`${FOLDER}${name}.json`))
    writeFileSync(`${FOLDER}${name}.json`, JSON.stringify(writeOtlpFile(`${FOLDER}${name}`, megabytes * 1e6)));
  const counts = JSON.parse(readFileSync(`${FOLDER}${name}.json`, "utf8"));

  const lines = readFileSync(`${FOLDER}${name}`, "latin1").trimEnd().split("\n");
  const requests = [];
  for (let from = 0; from < lines.length; from += LINES_PER_REQUEST) {
    const parts = lines.slice(from, from + LINES_PER_REQUEST).map((line) => JSON.parse(line));
    requests.push({ resourceSpans: parts.flatMap((part) => part.resourceSpans) });
  }

  const schema = protobufjs.parse(readFileSync(new URL("../test/support/otlp.proto", import.meta.url), "utf8")).root;
  const Request = schema.lookupType("otlp.ExportTraceServiceRequest");
  const walk = (each) => {
    if (Array.isArray(each)) return each.map(walk);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, member]) => [key, withBytes(key, walk(member))]));
  };
  const protobuf = requests.map((each) => Buffer.from(Request.encode(Request.fromObject(walk(each))).finish()));
  const json = requests.map((each) => Buffer.from(JSON.stringify(each)));
  return { counts, requests, json, protobuf };
}

/** Processor seconds of a process so far; undefined where there is no /proc. */
export function processorSeconds(pid) {
  if (!existsSync("/proc/self/stat")) return undefined;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Posts one body; gives the status. */
export function post(port, { type, coding }, body, agent) {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": type, "content-length": body.length };
    if (coding !== undefined) headers["content-encoding"] = coding;
    const options = { host: "127.0.0.1", port, method: "POST", path: "/v1/traces", headers, agent };
    const asking = request(options, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    asking.on("error", reject);
    asking.end(body);
  });
}
