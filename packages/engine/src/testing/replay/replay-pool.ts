/** Replays one run after the other, and continues with the next while code waits for something that is not a step. */
import type { ReplayRun } from "./replay-run.ts";

/** Work with one run. @param replay only for this work, until it has ended */
type Work = (replay: ReplayRun) => Promise<void>;

/** A replay that takes longer than this waits for something: outcomes from history come without a wait. */
const AWAY_MS = 5;
/** The most replays that wait; each holds a history. */
const MAX_WAITING = 64;

export class ReplayPool {
  readonly #create: () => ReplayRun;
  readonly #free: ReplayRun[] = [];
  readonly #waiting = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | null = null;

  constructor(create: () => ReplayRun) {
    this.#create = create;
  }

  /** Returns once the work is done or waits, unless too many wait. @throws the error of earlier work */
  async run(work: Work): Promise<void> {
    await untilAway(this.#start(work));
    while (this.#waiting.size >= MAX_WAITING) await Promise.race(this.#waiting);
    this.#assertUnfailed();
  }

  /** Returns when all work is done. @throws the error of any work */
  async end(): Promise<void> {
    await Promise.all(this.#waiting);
    this.#assertUnfailed();
  }

  #start(work: Work): Promise<void> {
    const replay = this.#free.pop() ?? this.#create();
    const running: Promise<void> = work(replay)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#free.push(replay);
        this.#waiting.delete(running);
      });
    this.#waiting.add(running);
    return running;
  }

  #assertUnfailed(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}

async function untilAway(running: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const away = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, AWAY_MS);
  });
  await Promise.race([running, away]);
  clearTimeout(timer);
}
