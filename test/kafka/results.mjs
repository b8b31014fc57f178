// A backend that takes results over OTLP: what it has acknowledged is what a team would see.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";

const schema = protobuf.parse(readFileSync(new URL("../support/otlp.proto", import.meta.url), "utf8")).root;
const Request = schema.lookupType("otlp.ExportLogsServiceRequest");

/** Takes each request after `delayMillis`, which gives whoever sends it time to be killed. */
export async function startBackend(delayMillis = 0) {
  const ids = new Map();
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const plain = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      setTimeout(() => {
        if (request.url === "/v1/logs") for (const id of evaluationsIn(plain)) ids.set(id, (ids.get(id) ?? 0) + 1);
        response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
      }, delayMillis);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Evaluation ids that it has taken, each with how often. */
    ids,
    close: () => server.close().closeAllConnections(),
  };
}

function evaluationsIn(body) {
  const records = Request.decode(body).resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) => logRecords),
  );
  return records.flatMap(({ attributes }) =>
    attributes.filter(({ key }) => key === "trajectory.evaluation.id").map(({ value }) => value.stringValue),
  );
}
