/** For so long a sender is waited for before its request has to give way to another. */
const GIVE_WAY_MILLIS = 2_000;

/** The place of one request that is under way. */
export interface Slot {
  /** From now on its sender is waited for; `giveWay` ends that, where others want the place. */
  receiving(giveWay: () => void): void;
  /** Everything has come: it does not give way any more. */
  received(): void;
  /** Gives the place back; more than once is the same as once. */
  release(): void;
}

/**
 * Places for requests that are under way. When all are taken, the one whose sender has been waited for longest, and for
 * more than two seconds, gives way: so senders that send a byte now and then cannot keep everybody else out.
 */
export class Slots {
  readonly #max: number;
  readonly #onIdle: () => void;
  /** Those whose senders are waited for, the longest first. */
  readonly #receiving = new Map<Slot, { readonly since: number; readonly giveWay: () => void }>();
  #active = 0;

  /** @param onIdle told when the last place has been given back */
  constructor(max: number, onIdle: () => void = () => undefined) {
    this.#max = max;
    this.#onIdle = onIdle;
  }

  /** Places that are taken. */
  get active(): number {
    return this.#active;
  }

  /** A place; undefined where there is none. */
  take(): Slot | undefined {
    if (this.#active >= this.#max && !this.#makeRoom()) return undefined;
    this.#active += 1;
    let held = true;
    const slot: Slot = {
      receiving: (giveWay) => void this.#receiving.set(slot, { since: performance.now(), giveWay }),
      received: () => void this.#receiving.delete(slot),
      release: () => {
        if (!held) return;
        held = false;
        this.#receiving.delete(slot);
        this.#active -= 1;
        if (this.#active === 0) this.#onIdle();
      },
    };
    return slot;
  }

  #makeRoom(): boolean {
    for (const [slot, { since, giveWay }] of this.#receiving) {
      if (performance.now() - since < GIVE_WAY_MILLIS) return false;
      slot.release();
      giveWay();
      return true;
    }
    return false;
  }
}
