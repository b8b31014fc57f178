// What a long script has checked, line by line, and the sum of it at the end.
const total = { passed: 0, failed: 0, skipped: 0 };

/** Says whether something holds, which it does where nothing speaks against it; of many words the first `most`. */
export function check(what, failures, most = 20) {
  const failed = failures.length > 0;
  total[failed ? "failed" : "passed"] += 1;
  console.log(`${failed ? "✗" : "✓"} ${what}`);
  for (const failure of failures.slice(0, most)) console.log(`    ${failure}`);
  if (failures.length > most) console.log(`    and ${failures.length - most} more`);
}

/** Says what could not be checked here, and why. */
export function skip(what, reason) {
  total.skipped += 1;
  console.log(`- Skipped: ${what}: ${reason}`);
}

/** Says the sum, and has the program end with 1 where something failed. */
export function finish() {
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}
