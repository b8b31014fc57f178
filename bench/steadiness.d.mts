export const MOST_PER_HOUR: number;
export const MOST_RESIDENT: number;
export function steadiness(
  samples: readonly { readonly seconds: number; readonly live: number | undefined; readonly resident: number }[],
): {
  readonly live: readonly number[];
  readonly resident: readonly number[];
  readonly slope: number;
  readonly twoErrors: number;
  readonly verdict: "flat" | "not flat" | "too short to tell";
};
