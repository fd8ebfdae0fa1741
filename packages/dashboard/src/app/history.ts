/** A run's history, page by page: what is settled is read once, what is open is read again. */
import { get, instancePath } from "./api.ts";
import { type EventShown, type History, isSettled, type StepShown } from "./shapes.ts";

/** All that was read so far. */
export interface HistoryShown {
  readonly runNumber: number;
  readonly steps: readonly StepShown[];
  readonly events: readonly EventShown[];
  /** There is more than was read yet. */
  readonly isPartial: boolean;
}

interface KeptPage {
  /** Where it begins; undefined: the history's beginning. */
  readonly cursor: string | undefined;
  /** Steps that were asked for. */
  readonly pageSize: number;
  readonly page: History;
}

/** Pages that one look reads, at most: a long history comes in several. The first is shown at once, later ones in bundles. */
const MOST_PAGES = [1, 2, 8] as const;

/** Steps of the first page, which is to be there soon, and of each later one, of which there are to be few. */
const FIRST_STEPS = 100;
const LATER_STEPS = 1000;

/** Reads the history of one instance, look by look. */
export class HistoryReader {
  readonly #path: string;
  readonly #runNumber: number | undefined;
  #pages: KeptPage[] = [];
  #looks = 0;
  #shown: HistoryShown | null = null;

  /** @param runNumber of an earlier run @default the present one */
  constructor(workflowName: string, id: string, runNumber?: number) {
    this.#path = `${instancePath(workflowName, id)}/history`;
    this.#runNumber = runNumber;
  }

  /** Forgets what was read: a step that was settled is so no more. */
  reset(): void {
    this.#pages = [];
    this.#shown = null;
  }

  /** Reads what may have changed, and what comes next. Without any change it gives the same object again. */
  async look(signal: AbortSignal): Promise<HistoryShown> {
    let left: number = MOST_PAGES[Math.min(this.#looks, MOST_PAGES.length - 1)] ?? 1;
    this.#looks += 1;
    for (const [index, { cursor, pageSize, page }] of this.#pages.entries()) {
      const isLast = index === this.#pages.length - 1;
      if (!isLast && page.steps.every(isSettled)) continue;
      if (left === 0) break;
      left -= 1;
      const next = await this.#read({ cursor, pageSize }, signal);
      if (next !== page && JSON.stringify(next) !== JSON.stringify(page)) this.#shown = null;
      this.#pages[index] = { cursor, pageSize, page: next };
      if (next.runNumber !== page.runNumber || (!isLast && next.cursor !== page.cursor)) {
        // Another run, or rows that went away: what stood behind is read anew.
        this.#pages.length = next.runNumber === page.runNumber ? index + 1 : 0;
        break;
      }
    }
    while (left > 0 && this.#hasMore()) {
      left -= 1;
      const cursor = this.#pages.at(-1)?.page.cursor;
      const asked = { cursor, pageSize: cursor === undefined ? FIRST_STEPS : LATER_STEPS };
      this.#pages.push({ ...asked, page: await this.#read(asked, signal) });
      this.#shown = null;
    }
    return (this.#shown ??= this.#toShown());
  }

  /** Results by key, of as many steps as were read so far, and at most so many. */
  async revealAll(mostSteps: number): Promise<ReadonlyMap<string, unknown>> {
    const results = new Map<string, unknown>();
    let cursor: string | undefined;
    do {
      const query = { cursor, pageSize: LATER_STEPS, reveal: 1, runNumber: this.#runNumber };
      const page: History = await get<History>(this.#path, query);
      for (const step of page.steps)
        results.set(
          step.stepKey,
          step.omittedBytes === undefined ? step.result : step.omittedBytes,
        );
      cursor = page.hasNextPage ? page.cursor : undefined;
    } while (cursor !== undefined && results.size < mostSteps);
    return results;
  }

  /** Finds a step again, with its result. */
  async reveal(stepKey: string): Promise<unknown> {
    return this.#find(
      ({ page }) => page.steps.some((step) => step.stepKey === stepKey),
      (page) => page.steps.find((step) => step.stepKey === stepKey)?.result,
    );
  }

  /** Finds an event again, with its payload. */
  async revealEvent(id: string): Promise<unknown> {
    return this.#find(
      ({ page }) => page.events.some((event) => event.id === id),
      (page) => page.events.find((event) => event.id === id)?.payload,
    );
  }

  async #find(
    holds: (kept: KeptPage) => boolean,
    pick: (page: History) => unknown,
  ): Promise<unknown> {
    let cursor = this.#pages.find(holds)?.cursor;
    // A page with large values is cut short.
    for (let count = 0; count < 100; count += 1) {
      const query = {
        cursor,
        pageSize: 100,
        payloads: "full",
        reveal: 1,
        runNumber: this.#runNumber,
      };
      const page = await get<History>(this.#path, query);
      const value = pick(page);
      if (value !== undefined) return value;
      if (!page.hasNextPage || page.cursor === undefined) break;
      cursor = page.cursor;
    }
    return null;
  }

  #hasMore(): boolean {
    const last = this.#pages.at(-1)?.page;
    return last === undefined || (last.hasNextPage && last.cursor !== undefined);
  }

  #read(asked: Omit<KeptPage, "page">, signal: AbortSignal): Promise<History> {
    const query = { ...asked, runNumber: this.#runNumber };
    return get<History>(this.#path, query, signal);
  }

  #toShown(): HistoryShown {
    const steps = new Map<string, StepShown>();
    const events = new Map<string, EventShown>();
    for (const { page } of this.#pages) {
      for (const step of page.steps) steps.set(step.stepKey, step);
      for (const event of page.events) events.set(event.id, event);
    }
    return {
      runNumber: this.#pages[0]?.page.runNumber ?? 1,
      steps: [...steps.values()],
      events: [...events.values()],
      isPartial: this.#hasMore(),
    };
  }
}
