// What each row of the bench is to reach, and the gate: a bound that a noisy machine keeps and a doubling breaks.
// `most`: the smaller the better; `least`: the larger the better.

/** @type {Record<string, { most?: number, least?: number, gate: number }>} */
export const TARGETS = {
  "our hooks, span of no kind, 6 attributes": { most: 1.5, gate: 4.5 },
  "our hooks, CLIENT span of no kind, 6 attributes": { most: 1.5, gate: 8 },
  "our hooks, TOOL span, 8 attributes with JSON": { most: 3, gate: 9 },
  "our hooks, LLM span, 14 attributes with JSON": { most: 3, gate: 11 },
  "whole span of no kind, 6 attributes, ours and Batch": { most: 1.1, gate: 1.5 },
  "whole TOOL span, 8 attributes with JSON, ours and Batch": { most: 1.1, gate: 1.8 },
  "whole LLM span, 14 attributes with JSON, ours and Batch": { most: 1.1, gate: 1.8 },
  "30 conventions, span of no kind": { most: 1.1, gate: 1.5 },
  "30 conventions, TOOL span": { most: 1.1, gate: 1.5 },
  "step_accuracy, 5 identical steps": { least: 3, gate: 2.7 },
  "step_accuracy, 50 identical steps": { least: 12, gate: 10 },
  "step_accuracy, 500 identical steps": { least: 100, gate: 65 },
  "step_accuracy, 5 one wrong, one extra": { least: 1, gate: 0.6 },
  "step_accuracy, 50 one wrong, one extra": { least: 4, gate: 4 },
  "step_accuracy, 500 one wrong, one extra": { least: 40, gate: 35 },
  "step_accuracy, 5,000 steps, 50 scattered edits": { most: 40, gate: 20 },
  "step_accuracy, 500 steps with 5 edits, a tenth in groups of 4": { most: 3, gate: 3.6 },
  "step_accuracy, 5,000 steps with 50 edits, a tenth in groups of 4": { most: 3, gate: 3.6 },
  "step_accuracy, 500 identical steps, a tenth in groups of 4": { most: 3, gate: 5.5 },
  "evaluation of a 50-step trace, 13 scorers": { most: 1, gate: 8 },
  "held span of no kind, leaves beneath a root": { most: 100, gate: 70 },
  "held span of no kind, CLIENT leaves beneath a root": { most: 100, gate: 180 },
  "held span of no kind, a tree of tens": { most: 100, gate: 60 },
  "held span of no kind, each beneath the one before": { most: 100, gate: 180 },
  "held TOOL span without content": { most: 500, gate: 750 },
  "held LLM span without content": { most: 500, gate: 980 },
};
