// Connections as they are, so that a client can stop wherever it likes.
import { connect } from "node:net";

/** A connection that sends `text` and keeps what it gets. */
export function open(port, text = "") {
  const socket = connect(port, "127.0.0.1");
  const client = { socket, text: "", closedAt: undefined };
  socket.on("data", (chunk) => {
    if (client.text.length < 10_000) client.text += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  client.closed = new Promise((resolve) => {
    socket.on("close", () => {
      client.closedAt = performance.now();
      resolve();
    });
  });
  client.connected = new Promise((resolve) => {
    socket.once("connect", resolve);
    socket.once("close", resolve);
  });
  if (text !== "") socket.write(text, "latin1");
  return client;
}

/** Many of them, some hundreds at a time, all connected or closed. */
export async function openMany(count, port, text) {
  const clients = [];
  while (clients.length < count) {
    const some = Array.from({ length: Math.min(250, count - clients.length) }, () => open(port, text));
    await Promise.all(some.map(({ connected }) => connected));
    clients.push(...some);
  }
  return clients;
}

export const isOpen = ({ closedAt }) => closedAt === undefined;
