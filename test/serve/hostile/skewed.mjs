// Senders whose clocks are wrong.
import { ask } from "./senders.mjs";
import { agentRun, JSON_TYPE, PROTOBUF_TYPE, protobufOf, requestOf } from "./traces.mjs";

const YEAR = 365n * 86_400_000_000_000n;
const NOW = BigInt(Date.now()) * 1_000_000n;

/** Start and end of the root; tools follow in 10 ms. */
const CLOCKS = [
  ["a nanosecond after the epoch", [1n, 2n]],
  ["30 years ago", [NOW - 30n * YEAR, NOW - 30n * YEAR + 1_000n]],
  ["in 200 years", [NOW + 200n * YEAR, NOW + 200n * YEAR + 1_000n]],
  ["as late as can be said", [2n ** 64n - 100_000_000n, 2n ** 64n - 100_000_000n]],
  ["longer than the service is old", [NOW - YEAR, NOW + YEAR]],
  ["an end before the start", [NOW, NOW - YEAR]],
];

/** @returns {Promise<{ ids: string[], failures: string[] }>} the traces that were taken, to be scored like any other */
export async function skewed({ port, token }) {
  const failures = [];
  const ids = [];
  const types = [
    [JSON_TYPE, JSON.stringify],
    [PROTOBUF_TYPE, protobufOf],
  ];
  for (const [type, bodyOf] of types) {
    const headers = { "content-type": type, authorization: `Bearer ${token}` };
    for (const [what, times] of CLOCKS) {
      const { id, tools, root } = agentRun(times);
      const { status, body } = await ask(port, { headers, body: bodyOf(requestOf([...tools, root])) });
      ids.push(id);
      if (status !== 200 || body.length > 2) failures.push(`${what}, ${type}: ${status} ${body}`);
    }
    // No time at all cannot be put in order: it is refused, and said.
    const { tools, root } = agentRun([0n, 0n]);
    const { status, body } = await ask(port, { headers, body: bodyOf(requestOf([...tools, root])) });
    if (status !== 400 || !body.includes("TimeUnixNano")) failures.push(`no time, ${type}: ${status} ${body}`);
  }
  return { ids, failures };
}
