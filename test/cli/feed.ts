import { Complaints } from "../../src/cli/complaints.ts";
import { BrokenCompression, decompressed } from "../../src/cli/decompress.ts";
import { RequestFeed } from "../../src/cli/request-feed.ts";
import { RequestTaker } from "../../src/cli/request-taker.ts";
import type { SpanView } from "../../src/model/span.ts";

/** Everything that is read of a file in pieces of those sizes, over and over, and what is said of it. */
export async function feedAll(
  bytes: Buffer,
  sizes: readonly number[],
): Promise<{ readonly views: SpanView[]; readonly problems: string[] }> {
  const views: SpanView[] = [];
  const problems: string[] = [];
  const complaints = new Complaints((text) => problems.push(text.trimEnd()));
  complaints.release();
  const feed = new RequestFeed(new RequestTaker("f", { take: (view) => void views.push(view) }, complaints));
  async function* pieces() {
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length] as number;
      yield Buffer.from(bytes.subarray(at, at + size));
      at += size;
    }
  }
  try {
    for await (const chunk of decompressed(pieces())) await feed.push(Buffer.from(chunk as Uint8Array));
    feed.end();
  } catch (error) {
    if (!(error instanceof BrokenCompression)) throw error;
    feed.cut();
    problems.push(error.message);
  }
  return { views, problems };
}
