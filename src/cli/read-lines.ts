/** One line of text with its number, from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** Splits a stream of UTF-8 into lines as it comes; at most one line is held. O(bytes). */
export async function* readLines(
  stream: AsyncIterable<Uint8Array | string>,
  onBytes: (count: number) => void,
): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  // Pieces of a line that is not complete yet; joined once, since a request can span many chunks.
  let pieces: string[] = [];
  let number = 1;
  for await (const chunk of stream) {
    onBytes(chunk.length);
    const parts = (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).split("\n");
    const last = parts.pop() ?? "";
    for (const part of parts) {
      pieces.push(part);
      yield { number, text: pieces.join("") };
      pieces = [];
      number += 1;
    }
    pieces.push(last);
  }
  pieces.push(decoder.decode());
  const rest = pieces.join("");
  if (rest !== "") yield { number, text: rest };
}
