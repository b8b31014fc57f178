import type { Egress } from "../model/trajectory.ts";

/** What one span says; `fallback` stands for spans that say nothing. */
export function egressOf(written: string | undefined, fallback: Egress): Egress {
  if (written === undefined) return fallback;
  return written === "permitted" || written === "forbidden" ? written : "unknown";
}

/** Permitted only if every one is, and there is one; forbidden if any is. */
export function worstEgress(all: readonly Egress[]): Egress {
  if (all.includes("forbidden")) return "forbidden";
  return all.length > 0 && all.every((one) => one === "permitted") ? "permitted" : "unknown";
}
