import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { print, printable, UsageError } from "../../src/cli/io.ts";

describe("print", () => {
  const slow = () => {
    const listeners = new Map<string, () => void>();
    const output = {
      write: () => false,
      once: (event: string, listener: () => void) => listeners.set(event, listener),
    };
    return { output, tell: (event: string) => listeners.get(event)?.() };
  };

  test.each(["drain", "close", "error"])("waits for a slow reader until %s", async (event) => {
    const { output, tell } = slow();
    let done = false;
    const printed = print(output, "x").then(() => {
      done = true;
    });
    await Promise.resolve();
    expect(done).toBe(false);
    tell(event);
    await printed;
    expect(done).toBe(true);
  });

  test("leaves no listener behind, however often it waits", async () => {
    const emitter = new EventEmitter();
    const output = {
      write: () => {
        setImmediate(() => emitter.emit("drain"));
        return false;
      },
      once: (event: string, listener: () => void) => emitter.once(event, listener),
      off: (event: string, listener: () => void) => emitter.off(event, listener),
    };
    for (let count = 0; count < 20; count += 1) await print(output, "x");
    expect(["drain", "close", "error"].map((event) => emitter.listenerCount(event))).toEqual([0, 0, 0]);
  });

  test("does not wait where nothing is held back", async () => {
    const written: string[] = [];
    await print({ write: (text) => written.push(text) > 0 }, "x");
    expect(written).toEqual(["x"]);
  });
});

test("printable keeps text and shows control characters", () => {
  expect(printable("größe\u001b[31m\r\n\u0085")).toBe("größe\\x1b[31m\\x0d\\x0a\\x85");
});

test.each([
  ["a\n  b\nc", "a b c"],
  ["a \t\r\n\n \n b", "a b"],
  ["a  b", "a  b"],
  ["\n", ""],
  // Quadratic in a pattern that looks for space around a break.
  [`a${" ".repeat(300_000)}b`, `a${" ".repeat(300_000)}b`],
])("a usage error is one line", (message, line) => expect(new UsageError(message).message).toBe(line));
