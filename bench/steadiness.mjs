// Whether memory that was sampled under a steady load stays what it is.

/** What counts as growth: so much of what is alive, in MiB an hour, or so much of what is resident, third to third. */
export const MOST_PER_HOUR = 20;
export const MOST_RESIDENT = 1.1;
/** Of less than this nothing is said: a process that is young still compiles, and its tables have yet to find their size. */
const LEAST_SECONDS = 600;

const middle = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};

/** The straight line of least squares: its slope and the standard error of that. */
function lineThrough(points) {
  const n = points.length;
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / n;
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)];
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  const slope = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread;
  const left = points.reduce((sum, [at, value]) => sum + (value - y - slope * (at - x)) ** 2, 0);
  return { slope, error: Math.sqrt(left / (n - 2) / spread) };
}

/**
 * Judges samples of a steady load, its warm-up left out.
 *
 * @param {readonly { seconds: number, live: number | undefined, resident: number }[]} samples when, and how many MiB were
 *   alive, where a full collection of garbage has just said so, and resident; at least 9 with both
 * @returns medians of the thirds, the slope of what is alive over the last two of them in MiB an hour with two standard
 *   errors, and the verdict: "not flat" where that slope, less its two errors, is above MOST_PER_HOUR, or the last third has
 *   more than MOST_RESIDENT times the resident memory of the one before; "too short to tell" where these are less than ten
 *   minutes, or two errors are above MOST_PER_HOUR; else "flat"
 * @throws {RangeError} for fewer samples
 */
export function steadiness(samples) {
  const whole = samples.filter((sample) => sample.live !== undefined);
  if (whole.length < 9) throw new RangeError(`9 samples or more, not ${whole.length}`);
  const third = Math.floor(whole.length / 3);
  const thirds = [whole.slice(0, third), whole.slice(third, -third), whole.slice(-third)];
  const live = thirds.map((each) => middle(each.map((sample) => sample.live)));
  const resident = thirds.map((each) => middle(each.map((sample) => sample.resident)));
  const { slope, error } = lineThrough(whole.slice(third).map((sample) => [sample.seconds / 3_600, sample.live]));
  const isShort = whole.at(-1).seconds - whole[0].seconds < LEAST_SECONDS;
  if (isShort) return { live, resident, slope, twoErrors: 2 * error, verdict: "too short to tell" };
  const grows = slope - 2 * error > MOST_PER_HOUR || resident[2] > resident[1] * MOST_RESIDENT;
  const verdict = grows ? "not flat" : 2 * error > MOST_PER_HOUR ? "too short to tell" : "flat";
  return { live, resident, slope, twoErrors: 2 * error, verdict };
}
