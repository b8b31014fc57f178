// A real OTLP/HTTP receiver for JSON and protobuf, on this machine's loopback address.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";

const schema = protobuf.parse(readFileSync(new URL("otlp.proto", import.meta.url), "utf8")).root;
const Request = schema.lookupType("otlp.ExportTraceServiceRequest");

/** Starts a receiver. `spans()` gives what arrived, attributes as `{ type, value }` by key. */
export async function startReceiver() {
  const received = [];
  const types = new Set();
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const raw = Buffer.concat(chunks);
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
      types.add(request.headers["content-type"]);
      const json = request.headers["content-type"] === "application/json";
      received.push(...(json ? fromJson(JSON.parse(body.toString("utf8"))) : fromProtobuf(Request.decode(body))));
      response.writeHead(200, { "content-type": request.headers["content-type"] });
      response.end(json ? "{}" : undefined);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1/traces`,
    spans: () => received,
    contentTypes: () => [...types],
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function fromJson(request) {
  return request.resourceSpans.flatMap((resource) =>
    resource.scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        name: span.name,
        trace_id: span.traceId,
        span_id: span.spanId,
        parent_id: span.parentSpanId ?? "",
        attributes: attributes(span.attributes),
      })),
    ),
  );
}

function fromProtobuf(request) {
  return request.resourceSpans.flatMap((resource) =>
    resource.scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        name: span.name,
        trace_id: Buffer.from(span.traceId).toString("hex"),
        span_id: Buffer.from(span.spanId).toString("hex"),
        parent_id: Buffer.from(span.parentSpanId).toString("hex"),
        attributes: attributes(span.attributes),
      })),
    ),
  );
}

function attributes(list) {
  const out = new Map();
  for (const { key, value } of list) {
    // A decoded message has every field on its prototype; only what was on the wire is its own.
    const type = Object.keys(value).find((name) => name.endsWith("Value"));
    const raw = type === undefined ? undefined : value[type];
    out.set(key, { type, value: type === "intValue" ? Number(raw) : raw });
  }
  return out;
}
