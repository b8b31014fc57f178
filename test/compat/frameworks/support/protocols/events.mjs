// What the three protocols share: ids, and answers as JSON or as server-sent events.

let ids = 0;

/** An id that no other answer has. */
export function newId(prefix) {
  ids += 1;
  return `${prefix}_${process.pid}${String(ids).padStart(8, "0")}`;
}

/** Answers with one JSON document. */
export function sendJson(response, body) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/**
 * Answers with server-sent events, the way a model does: piece by piece.
 *
 * @param {readonly (object | string)[]} events an object's `type` is the event's name where `named` is set
 */
export function sendEvents(response, events, { named = false } = {}) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of events) {
    const data = typeof event === "string" ? event : JSON.stringify(event);
    response.write(`${named ? `event: ${event.type}\n` : ""}data: ${data}\n\n`);
  }
  response.end();
}

/** Cuts text in two, so that a client has something to put together. */
export function pieces(text) {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}

/** All text of a message's content, whatever its shape. */
export function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part === "string" ? part : (part?.text ?? ""))).join(" ");
}
