/**
 * The baseline for alignment: a plain full-matrix edit distance with labels over bare strings. It normalises nothing,
 * knows no groups, and keeps every cell.
 */
export function fullMatrix(expected, actual) {
  const rows = expected.length + 1;
  const columns = actual.length + 1;
  const cost = Array.from({ length: rows }, () => new Array(columns).fill(0));
  for (let i = 0; i < rows; i += 1) cost[i][0] = i;
  for (let j = 0; j < columns; j += 1) cost[0][j] = j;
  for (let i = 1; i < rows; i += 1) {
    for (let j = 1; j < columns; j += 1) {
      const same = expected[i - 1] === actual[j - 1] ? 0 : 1;
      cost[i][j] = Math.min(cost[i - 1][j - 1] + same, cost[i - 1][j] + 1, cost[i][j - 1] + 1);
    }
  }
  const steps = [];
  let i = expected.length;
  let j = actual.length;
  while (i > 0 || j > 0) {
    const same = i > 0 && j > 0 && expected[i - 1] === actual[j - 1] ? 0 : 1;
    if (i > 0 && j > 0 && cost[i][j] === cost[i - 1][j - 1] + same) {
      steps.push({ op: same === 0 ? "match" : "substitute", expected: expected[i - 1], actual: actual[j - 1] });
      i -= 1;
      j -= 1;
    } else if (i > 0 && cost[i][j] === cost[i - 1][j] + 1) {
      steps.push({ op: "delete", expected: expected[i - 1], actual: null });
      i -= 1;
    } else {
      steps.push({ op: "insert", expected: null, actual: actual[j - 1] });
      j -= 1;
    }
  }
  steps.reverse();
  return { distance: cost[expected.length][actual.length], steps };
}
