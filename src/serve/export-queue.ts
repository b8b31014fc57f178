/** What became of a batch: `again` may be tried again, `refused` never. */
export type Sent = "sent" | "again" | "refused";

export interface ExportQueueOptions<T> {
  /** Sends one batch. Never rejects. */
  readonly send: (batch: readonly T[]) => Promise<Sent>;
  /** Items that wait before {@link ExportQueue.isFull} says so; ten times as many are held at the very most. */
  readonly maxWaiting: number;
  /** How long a batch that is not full waits for more. @defaultValue 200 */
  readonly lingerMillis?: number | undefined;
  /** Items that were not taken by anybody. */
  readonly onLost: (count: number, why: "refused" | "queue_full" | "shutdown") => void;
}

const BATCH = 512;
const LINGER_MILLIS = 200;
const FIRST_PAUSE_MILLIS = 500;
const LONGEST_PAUSE_MILLIS = 30_000;
const HARD_FACTOR = 10;

/**
 * Items on their way to an exporter, in batches, one at a time. What the other side cannot take now is kept and tried
 * again for as long as it takes, so that an outage costs no result; {@link isFull} lets whoever feeds us slow down.
 */
export class ExportQueue<T> {
  readonly #options: ExportQueueOptions<T>;
  #items: T[] = [];
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pause = 0;
  #closed = false;
  /** Items that ever were in the queue, and those that have left it, whatever became of them. */
  #added = 0;
  #left = 0;
  #waiting: { readonly until: number; readonly resolve: () => void }[] = [];

  constructor(options: ExportQueueOptions<T>) {
    this.#options = options;
  }

  get size(): number {
    return this.#items.length;
  }

  get isFull(): boolean {
    return this.#items.length >= this.#options.maxWaiting;
  }

  add(item: T): void {
    const tooMany = this.#items.length >= this.#options.maxWaiting * HARD_FACTOR;
    if (this.#closed || tooMany) {
      this.#options.onLost(1, this.#closed ? "shutdown" : "queue_full");
      return;
    }
    this.#items.push(item);
    this.#added += 1;
    if (this.#items.length >= BATCH && this.#pause === 0) this.#go();
    else this.#goIn(this.#options.lingerMillis ?? LINGER_MILLIS);
  }

  /** Sends everything, for a limited time. Gives whether nothing is left. */
  async flush(millis: number): Promise<boolean> {
    const until = performance.now() + millis;
    this.#pause = 0;
    while (this.#items.length > 0 || this.#sending !== undefined) {
      const left = until - performance.now();
      if (left <= 0) return false;
      this.#go();
      await within(this.#sending ?? Promise.resolve(), left);
      if (this.#pause > 0) await within(new Promise(() => undefined), Math.min(this.#pause, left));
    }
    return true;
  }

  /** Resolves when everything that has been added so far has been sent, or refused for good: never, after {@link close}. */
  settled(): Promise<void> {
    if (this.#left === this.#added) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ until: this.#added, resolve }));
  }

  /** Takes nothing more; what is left is counted as lost. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    const left = this.#items.length;
    this.#items = [];
    if (left > 0) this.#options.onLost(left, "shutdown");
  }

  #goIn(millis: number): void {
    this.#timer ??= setTimeout(() => this.#go(), millis);
  }

  #go(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#items.length === 0) return;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (this.#items.length > 0 && !this.#closed) this.#goIn(this.#pause);
    });
  }

  async #send(): Promise<void> {
    // Items stay in the queue until they are known to have arrived, so that its size tells the whole backlog.
    const batch = this.#items.slice(0, BATCH);
    const sent = await this.#options.send(batch);
    if (sent === "again") {
      this.#pause = Math.min(LONGEST_PAUSE_MILLIS, this.#pause === 0 ? FIRST_PAUSE_MILLIS : this.#pause * 2);
      return;
    }
    this.#pause = 0;
    if (this.#closed) return;
    this.#items.splice(0, batch.length);
    this.#left += batch.length;
    while ((this.#waiting[0]?.until ?? Number.POSITIVE_INFINITY) <= this.#left) this.#waiting.shift()?.resolve();
    if (sent === "refused") this.#options.onLost(batch.length, "refused");
  }
}

function within(work: Promise<unknown>, millis: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
