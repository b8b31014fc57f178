// Records that nobody can read, and what becomes of them.
import { produce } from "./topics.mjs";

const bytes = (text) => Buffer.from(text, "utf8");

/** By the reason for which each is broken. */
const BROKEN = {
  "no protobuf": Buffer.from([0xff, 0xfe, 0xfd, 0x00, 0x17]),
  "protobuf that is cut": Buffer.from([0x0a, 0x7f, 0x12, 0x05]),
  "no JSON": bytes('{"resourceSpans": ['),
  "JSON that is no OTLP": bytes('{"resourceSpans": 5}'),
  "spans without ids": bytes('{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x","traceId":"","spanId":""}]}]}]}'),
};

/** Writes one of each into the topic, each with a key and a header. */
export async function poison(broker, topic) {
  const records = Object.entries(BROKEN).map(([kind, value]) => ({
    key: bytes(kind),
    value,
    headers: new Map([[bytes("origin"), bytes("rig")]]),
  }));
  await produce(broker, topic, records);
}

const text = (value) => value?.toString("utf8");

/** What is wrong with dead letters: each has its key, its value, its headers, and says where it comes from and why. */
export function unlike(letters) {
  const wrong = [];
  for (const [kind, value] of Object.entries(BROKEN)) {
    const found = letters.filter(({ key }) => text(key) === kind);
    if (found.length === 0) wrong.push(`${kind}: none`);
    for (const letter of found) {
      const headers = Object.fromEntries([...letter.headers].map(([name, content]) => [text(name), text(content)]));
      if (!letter.value.equals(value)) wrong.push(`${kind}: another value`);
      if (headers.origin !== "rig") wrong.push(`${kind}: headers are ${JSON.stringify(headers)}`);
    }
  }
  return wrong;
}
