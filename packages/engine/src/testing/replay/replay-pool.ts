/** Replays one run after the other, and goes on to the next one while code waits for what is no step. */
import type { ReplayRun } from "./replay-run.ts";

/** What is done with one run. @param replay its own, until it has ended */
type Work = (replay: ReplayRun) => Promise<void>;

/** A replay that takes longer waits for something: what history holds is told without a wait. */
const AWAY_MS = 5;
/** Each holds a history. */
const MAX_WAITING = 64;

export class ReplayPool {
  readonly #create: () => ReplayRun;
  readonly #free: ReplayRun[] = [];
  readonly #waiting = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | null = null;

  constructor(create: () => ReplayRun) {
    this.#create = create;
  }

  /** Returns once the work is done, or waits, as long as not too much does. @throws what work before it has thrown */
  async run(work: Work): Promise<void> {
    await untilAway(this.#start(work));
    while (this.#waiting.size >= MAX_WAITING) await Promise.race(this.#waiting);
    this.#assertUnfailed();
  }

  /** Returns when all of it is done. @throws what work has thrown */
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
