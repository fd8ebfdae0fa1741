/** Decides when a process looks for instances that ended long enough ago. Loaded with the first look. */
import { toLogFields } from "../core/errors.ts";
import { type RetentionOptions, type RetentionRule, toRetentionRules } from "../core/retention.ts";
import type { Budget } from "../run/budget.ts";
import type { RunContext, Purging } from "../run/context.ts";
import { createPurger, type Purger } from "./purger.ts";

/** How long until the next look, in milliseconds. */
const RESTED_MS = 60_000;

/** The purges of one process: one at a time, and none too early. */
export class Retention implements Purging {
  readonly #context: Pick<RunContext, "store" | "host" | "logger">;
  readonly #rules: readonly RetentionRule[];
  #purger: Purger | null = null;
  #nextAtMs = -Infinity;
  #purge: Promise<void> | null = null;
  /** A loop runs beside it. */
  #isBeside = false;
  #cancelNext = (): void => {};

  /** @throws {WorkflowError} INVALID_DURATION, UNKNOWN_OPTION */
  constructor(context: Pick<RunContext, "store" | "host" | "logger">, options: RetentionOptions) {
    this.#context = context;
    this.#rules = toRetentionRules(options);
  }

  async purge(budget: Budget, isIdle = (): boolean => true): Promise<void> {
    const { host } = this.#context;
    const isDue = this.#rules.length > 0 && host.elapsedMs() >= this.#nextAtMs;
    if (!isDue || this.#purge !== null) return;
    this.#purge = this.#run(budget, isIdle);
    await this.#purge;
    this.#purge = null;
  }

  beside(budget: Budget, isIdle: () => boolean): void {
    this.#isBeside = true;
    void this.#goOn(budget, isIdle);
  }

  async stop(): Promise<void> {
    this.#isBeside = false;
    this.#cancelNext();
    await this.#purge;
  }

  async #goOn(budget: Budget, isIdle: () => boolean): Promise<void> {
    const { host } = this.#context;
    await this.purge(budget, isIdle);
    this.#cancelNext();
    // When there is nothing more, the loop's own looks are frequent enough.
    if (!this.#isBeside || this.#purger?.hasMore !== true) return;
    const restMs = Math.max(1, this.#nextAtMs - host.elapsedMs());
    this.#cancelNext = host.setTimer(restMs, () => void this.#goOn(budget, isIdle));
  }

  async #run(budget: Budget, isIdle: () => boolean): Promise<void> {
    const { host, logger } = this.#context;
    let restMs = RESTED_MS;
    try {
      this.#purger ??= createPurger(this.#context, this.#rules);
      restMs = await this.#purger.purge(budget, isIdle);
    } catch (error) {
      logger.log("warn", "retention.failed", toLogFields(error));
    }
    this.#nextAtMs = host.elapsedMs() + restMs;
  }
}
