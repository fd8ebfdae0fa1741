/** People and services outside: they call whichever process answers, and call again when none does. */
import { WorkflowError } from "@escapement/engine";
import type { Random } from "../random.ts";
import type { Scheduler } from "../scheduler.ts";
import type { Process } from "./process.ts";

/** Somebody outside waits so long for an answer. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 700;

export class Outside {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #processes: () => readonly Process[];

  constructor(scheduler: Scheduler, random: Random, processes: () => readonly Process[]) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#processes = processes;
  }

  /**
   * Does something through some process, and again until it is done or refused.
   *
   * @param tries how often at most
   */
  async insist(act: (process: Process) => Promise<unknown>, tries = 20): Promise<boolean> {
    for (let count = 0; count < tries; count += 1) {
      const end = await this.#tryOnce(act);
      if (end !== "again") return end === "done";
      await this.#scheduler.sleep(PAUSE_MS, null);
    }
    return false;
  }

  async #tryOnce(
    act: (process: Process) => Promise<unknown>,
  ): Promise<"done" | "refused" | "again"> {
    const awake = this.#processes().filter(
      ({ isAlive, frozenUntil }) => isAlive && frozenUntil <= this.#scheduler.now,
    );
    if (awake.length === 0) return "again";
    const timeout = this.#scheduler.sleep(PATIENCE_MS, null).then(() => "again" as const);
    const done = act(this.#random.pick(awake)).then(
      () => "done" as const,
      (error: unknown) => (mayTryAgain(error) ? "again" : "refused"),
    );
    return Promise.race([done, timeout]);
  }
}

const mayTryAgain = (error: unknown): boolean =>
  !WorkflowError.is(error) || error.code === "STORE_UNAVAILABLE";
