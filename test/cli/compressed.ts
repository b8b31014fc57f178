/** Messages as the Collector's file exporter writes them: each after its length, the high byte first. */
export function framed(messages: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    messages.flatMap((message) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(message.length);
      return [length, message];
    }),
  );
}

/** `zstd -19` of the lines `request(agentRun("t1", ["search", "open"]))` and `request(agentRun("t2", ["send"]))`. */
const FIRST =
  "KLUv/QRo1QgAIk4qGWB5A1PRshye4LpGBer9QYeo7m+chuASKAHAla50JcOYztGiKLCqtttAo/Qn/67yz5ufXps7wsi2e+le4V6G" +
  "rinr205rj4VhUvldnaOD7Gn6xZFBzzhMrOkscMGR6Wzmk/PxTTpf+y0LRWRryowF/tlvpbUd/PSrJ8+oN6XAhmIZXByIQnBka/Gq" +
  "6/NzZN96crSyLFzJv6Nk/W8OI0eR7Wyu8ap21HrlMC0ggAIJjNUdcAxkZaFB6iAyOZy0Tja6pm01ROEGJQAmYOoAHb2LLJ4cuydf" +
  "OAKWrKCNWCV7Md9uYLBhfQHljlI5QD6GoCtJ1M69YyuYuIfXruxygkWwb8dqMWgKXqBBbWGBMQMIBnhbzrVfbT0MtrK45A==";
const SECOND =
  "KLUv/QRoHQgAYs0nGHDbAVh2Jw5r1rJFa8F7M/2KMb/yieoARUAohVIoFYXlXYNszp/6uaq9bt6b8naAcSv3UhgKYbjQ5ZJ+5TLu" +
  "Vhh8ymfa2xwkT97Xxv0aWzCxvFfYYuNOZ8aT/rQmnaf8dYUiruUSW2Hf+auslYP3vnhqbHYuFctY40AUYuNaS1dMf3/jtsa+zaqu" +
  "EEr9HCXpPy8YN4pbnbemK8rN2nTBKCBQAhGgsztwDWTNQkGDLgATIP0APXoWWbt1wF6+cAtYsoI2epVsYr7fwKhhewGlHaU4QDSG" +
  "YFeS0M7dxyyYiIfXtmxJrt98Ydn7BA0HDYOXNShYWDCWANIA7+V8+9U2w2pXctg=";
const first = Buffer.from(FIRST, "base64");
const second = Buffer.from(SECOND, "base64");

/** Zstandard without a compressor, which not every Node has. */
export const ZSTD: {
  readonly first: Buffer;
  readonly second: Buffer;
  /** Both frames, one after the other. */
  readonly lines: Buffer;
  raw(bytes: Uint8Array): Buffer;
} = {
  first,
  second,
  lines: Buffer.concat([first, second]),
  /** One frame of blocks that are stored as they are. */
  raw(bytes: Uint8Array): Buffer {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(bytes.length);
    // Magic number, a single segment whose size has four bytes.
    const parts: Uint8Array[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]), size];
    for (let at = 0; at === 0 || at < bytes.length; at += BLOCK) {
      const block = bytes.subarray(at, at + BLOCK);
      const header = Buffer.alloc(4);
      header.writeUInt32LE((block.length << 3) | (at + BLOCK >= bytes.length ? 1 : 0));
      parts.push(header.subarray(0, 3), block);
    }
    return Buffer.concat(parts);
  },
};

const BLOCK = 100_000;
