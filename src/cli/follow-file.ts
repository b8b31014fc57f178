import type { BigIntStats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../model/errors.ts";
import { compressionOf, MAGIC_BYTES } from "./decompress.ts";
import { rotationOf } from "./input-files.ts";
import { UsageError } from "./io.ts";
import type { RequestFeed } from "./request-feed.ts";

/** How often a file that has not grown is looked at again, in ms. */
const POLL_MILLIS = 200;
const CHUNK_BYTES = 256 * 1024;

export interface FollowOptions {
  readonly path: string;
  /** The file as people are told it. */
  readonly name: string;
  /** Reads one file from its beginning. */
  newFeed(): RequestFeed;
  /** Resolves when so many bytes more can be taken. */
  room(bytes: number): Promise<void>;
  /** When it is aborted, what has been written by then is read, and that is all. */
  readonly signal: AbortSignal;
}

/**
 * Hands over what a file holds and what is written to it, until the signal. When another file takes its place (rotation)
 * the old one is read to its end first; when it is cut short, it is read from its beginning.
 *
 * @throws UsageError (rejects) where there is no such file, or it is compressed as a whole
 */
export async function followFile(options: FollowOptions): Promise<void> {
  const { path, name, signal } = options;
  let current: FollowedFile | undefined;
  try {
    current = await opened(path, options);
    for (;;) {
      const stopped = signal.aborted;
      await current.read(stopped);
      const next = await successor(current, options);
      if (next === undefined) {
        if (stopped) break;
        await pause(signal);
        continue;
      }
      // Whoever was writing to it may have been about to write its last.
      if (current.path === path) await pause(signal);
      await current.read(true);
      await current.close();
      current = next;
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name}: cannot be read: ${messageOf(error)}`);
  } finally {
    await current?.close();
  }
}

async function opened(path: string, options: FollowOptions): Promise<FollowedFile> {
  const handle = await open(path, "r");
  try {
    return new FollowedFile(path, handle, identityIn(await handle.stat({ bigint: true })), options);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function identityIn({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Undefined where there is no file: so it is between two steps of a rotation. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    return identityIn(await stat(path, { bigint: true }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Resolves when it is time to look again. */
async function pause(signal: AbortSignal): Promise<void> {
  await sleep(POLL_MILLIS, undefined, { signal }).catch(() => undefined);
}

/**
 * The file that was begun after the one that was read: that of the path, or one that has been rotated away as well, where
 * rotation is faster than we look. Undefined while there is none.
 */
async function successor(current: FollowedFile, options: FollowOptions): Promise<FollowedFile | undefined> {
  const newest = await identityOf(options.path);
  if (newest === undefined || newest === current.identity) return undefined;
  let next = { path: options.path, identity: newest };
  for (const path of (await rotationOf(options.path)).reverse()) {
    const identity = await identityOf(path);
    if (identity === current.identity) return openedAs(next.identity, next.path, options);
    if (identity !== undefined) next = { path, identity };
  }
  // The one that was read is gone, and nobody knows which of the others came after it.
  return opened(options.path, options);
}

/** Undefined where files have been renamed in the meantime: the next look finds out. */
async function openedAs(identity: string, path: string, options: FollowOptions): Promise<FollowedFile | undefined> {
  const file = await opened(path, options);
  if (file.identity === identity) return file;
  await file.close();
  return undefined;
}

class FollowedFile {
  /** Where it was when it was opened. */
  readonly path: string;
  /** Device and number of the file, whatever its name is. */
  readonly identity: string;
  readonly #handle: FileHandle;
  readonly #options: FollowOptions;
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #feed: RequestFeed;
  #position = 0;
  #closed = false;

  constructor(path: string, handle: FileHandle, identity: string, options: FollowOptions) {
    this.path = path;
    this.identity = identity;
    this.#handle = handle;
    this.#options = options;
    this.#feed = options.newFeed();
  }

  /** Reads to the end as it is now; `last`: there will be no more. */
  async read(last: boolean): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size < this.#position) {
      this.#feed.end();
      this.#feed = this.#options.newFeed();
      this.#position = 0;
    }
    for (;;) {
      await this.#options.room(CHUNK_BYTES);
      const { bytesRead } = await this.#handle.read(this.#buffer, 0, CHUNK_BYTES, this.#position);
      const isHead = this.#position === 0;
      if (bytesRead === 0 || (isHead && bytesRead < MAGIC_BYTES && !last)) return;
      const chunk = this.#buffer.subarray(0, bytesRead);
      if (isHead && compressionOf(chunk) !== undefined) {
        throw new UsageError(`--follow: ${this.#options.name} is compressed; expected a file that is being written to`);
      }
      this.#position += bytesRead;
      await this.#feed.push(chunk);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#feed.end();
    await this.#handle.close();
  }
}
