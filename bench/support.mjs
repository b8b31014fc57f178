// Interleaved measurement: in every round each case runs once, and ratios are taken per round, so that a noisy machine
// disturbs both sides alike. Results are consumed, so that nothing is optimised away.
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 101);

let sink = 0;

/** Keeps a result alive. */
export function consume(value) {
  sink = (sink + (typeof value === "number" ? value : 1)) % 1_000_003;
}

export function consumed() {
  return sink;
}

/** Median of a list. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Runs the cases in turn, `rounds` times after a warm-up; `before` and `after` each round are not measured.
 *
 * @param {Record<string, () => void | Promise<void>>} cases
 * @returns {Promise<Record<string, number[]>>} milliseconds per round
 */
export async function interleave(cases, { rounds = ROUNDS, warmUp = 30, before, after } = {}) {
  const names = Object.keys(cases);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round += 1) {
    before?.();
    // The order alternates, so that no case always pays for what another left behind.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      globalThis.gc?.({ type: "minor" });
      const started = performance.now();
      // A case that returns nothing is done: waiting for it would be measured too.
      const pending = cases[name]();
      if (pending !== undefined) await pending;
      const took = performance.now() - started;
      if (round >= 0) times[name].push(took);
    }
    await after?.();
  }
  return times;
}

/** Median over rounds of a / b. */
export function ratio(times, a, b) {
  return median(times[a].map((value, index) => value / times[b][index]));
}
