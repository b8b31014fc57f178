// As many connections as a port takes, and one more.
import { sleep, until } from "../../support/processes.mjs";
import { openFiles, resident } from "./process.mjs";
import { isOpen, open, openMany } from "./sockets.mjs";

/** Those of senders, of Prometheus, and of whoever asks for metrics. */
const OTHERS = 10;
const HELD_SECONDS = 4;

/**
 * @param {{ name: string, port: number, text?: string, count: number, goneMillis: number, pid: number, senders: object,
 *   limited: boolean }} given `text`: what each sends; `goneMillis`: when the service lets go of them; `limited`: whether
 *   `count` is what the port takes
 */
export async function crowd({ name, port, text, count, goneMillis, pid, senders, limited }) {
  const [files, memory, from] = [openFiles(pid), resident(pid), performance.now()];
  const clients = await openMany(count - OTHERS, port, text);
  const last = performance.now();
  // The rest one by one, until one is turned away.
  let refused = 0;
  for (let more = 0; limited && refused === 0 && more <= OTHERS; more += 1) {
    const client = open(port, text);
    await Promise.race([client.closed, client.connected.then(() => sleep(150))]);
    if (isOpen(client)) clients.push(client);
    else refused += 1;
  }
  const held = performance.now();
  await sleep(HELD_SECONDS * 1_000);
  const gone = clients.filter((client) => !isOpen(client)).length;
  const each = ((resident(pid) - memory) * 1_024) / clients.length;
  const taken = senders.takenSince(held);
  const slowest = senders.slowest(from);
  const all = `${clients.length} idle connections over ${name}`;
  const failures = (condition, failure) => (condition ? [] : [failure]);
  const results = [
    [`${all} are held at once: ${each.toFixed(1)} KiB each`, failures(gone === 0, `${gone} were closed`)],
    [
      `${all}: senders are served meanwhile: ${taken} traces in ${HELD_SECONDS} s, slowest answer ${slowest} ms`,
      failures(taken >= HELD_SECONDS && slowest < 5_000, `too few, or too slow`),
    ],
  ];
  if (limited) results.push([`${all}: one more is closed at once`, failures(refused === 1, "none was closed")]);
  await until(`${all} are gone`, () => !clients.some(isOpen), 60);
  const wait = Math.round(Math.max(...clients.map(({ closedAt }) => closedAt)) - last);
  results.push([
    `${all}: all gone ${wait} ms after the last of them came`,
    failures(wait < goneMillis + 5_000, `more than ${goneMillis + 5_000} ms`),
  ]);
  let now = openFiles(pid);
  for (let tries = 0; tries < 40 && now > files + OTHERS; tries += 1) {
    await sleep(100);
    now = openFiles(pid);
  }
  results.push([`${all}: ${now} open files after, ${files} before`, failures(now <= files + OTHERS, "some are left")]);
  return results;
}
