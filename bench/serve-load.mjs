// The load of the benches of the service: that of the bench of `score`, in requests of 512 spans; how it is sent, and what
// a process takes meanwhile.
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

const schema = protobufjs.parse(readFileSync(new URL("../test/support/otlp.proto", import.meta.url), "utf8")).root;
const Request = schema.lookupType("otlp.ExportTraceServiceRequest");
const Response = schema.lookupType("otlp.ExportTraceServiceResponse");

function withByteIds(each) {
  if (Array.isArray(each)) return each.map(withByteIds);
  if (typeof each !== "object" || each === null) return each;
  return Object.fromEntries(Object.entries(each).map(([key, member]) => [key, withBytes(key, withByteIds(member))]));
}

/** A request as OTLP/JSON has it, in protobuf. */
export const protobufOf = (request) => Buffer.from(Request.encode(Request.fromObject(withByteIds(request))).finish());

/** Spans that were not taken, as an answer in protobuf says. */
export const rejectedIn = (answer) => Number(Response.decode(answer).partialSuccess?.rejectedSpans ?? 0);

/** About so many megabytes of JSON, as requests. Kept from run to run. */
export function serveRequests(megabytes) {
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
  return { counts, requests };
}

/** The same, written in both encodings too. */
export function serveLoad(megabytes) {
  const { counts, requests } = serveRequests(megabytes);
  const protobuf = requests.map(protobufOf);
  const json = requests.map((each) => Buffer.from(JSON.stringify(each)));
  return { counts, requests, json, protobuf };
}

/** Processor seconds of a process so far; undefined where there is no /proc. */
export function processorSeconds(pid) {
  if (!existsSync("/proc/self/stat")) return undefined;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Memory of a process in MiB, now (`VmRSS`) or at its peak (`VmHWM`); undefined where there is no /proc. */
export function memoryOf(pid, which) {
  if (!existsSync("/proc/self/status")) return undefined;
  const found = new RegExp(`${which}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return found === null ? undefined : Number(found[1]) / 1024;
}

const LONGEST_ANSWER_MILLIS = 60_000;

/** Posts one body; gives the answer. */
export function post(port, { type, coding }, body, agent) {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": type, "content-length": body.length };
    if (coding !== undefined) headers["content-encoding"] = coding;
    const options = { host: "127.0.0.1", port, method: "POST", path: "/v1/traces", headers, agent };
    const asking = request(options, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status, headers } = response;
        resolve({ status, retrySeconds: Number(headers["retry-after"] ?? 1), body: Buffer.concat(parts) });
      });
    });
    asking.setTimeout(LONGEST_ANSWER_MILLIS, () => asking.destroy(new Error("no answer")));
    asking.on("error", reject);
    asking.end(body);
  });
}
