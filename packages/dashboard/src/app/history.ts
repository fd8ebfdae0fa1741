/** Reads a run's history page by page: settled steps once, open ones again and again. */
import { get, instancePath } from "./api.ts";
import { type EventShown, type History, isSettled, type StepShown } from "./shapes.ts";

/** Everything that was read so far. */
export interface HistoryShown {
  readonly runNumber: number;
  readonly steps: readonly StepShown[];
  readonly events: readonly EventShown[];
  /** There is more that was not read yet. */
  readonly isPartial: boolean;
}

interface KeptPage {
  /** Where the page begins; undefined: at the beginning of the history. */
  readonly cursor: string | undefined;
  /** How many steps were requested. */
  readonly pageSize: number;
  readonly page: History;
}

/**
 * The most pages that one look reads, because a long history takes several looks. The first page is shown at once, later ones in groups.
 */
const MOST_PAGES = [1, 2, 8] as const;

/** The number of steps on the first page, which should arrive soon, and on later pages, of which there should be few. */
const FIRST_STEPS = 100;
const LATER_STEPS = 1000;

/** Reads the history of one instance, look by look. */
export class HistoryReader {
  readonly #path: string;
  readonly #runNumber: number | undefined;
  #pages: KeptPage[] = [];
  #looks = 0;
  #shown: HistoryShown | null = null;

  /** @param runNumber of an earlier run @default the current run */
  constructor(workflowName: string, id: string, runNumber?: number) {
    this.#path = `${instancePath(workflowName, id)}/history`;
    this.#runNumber = runNumber;
  }

  /** Forgets everything that was read, because settled steps may be open again. */
  reset(): void {
    this.#pages = [];
    this.#shown = null;
  }

  /** Reads what may have changed, and what comes next. If nothing changed, it returns the same object. */
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
        // Another run, or rows were removed: everything after this page is read again.
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

  /** The results by key of the steps that were read so far, up to a maximum. */
  async revealAll(mostSteps: number): Promise<ReadonlyMap<string, unknown>> {
    const results = new Map<string, unknown>();
    let cursor: string | undefined;
    do {
      const query = { cursor, pageSize: LATER_STEPS, reveal: 1, runNumber: this.#runRead() };
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

  /** Reads a step again, with its result. */
  async reveal(stepKey: string): Promise<unknown> {
    return this.#find(
      ({ page }) => page.steps.some((step) => step.stepKey === stepKey),
      (page) => page.steps.find((step) => step.stepKey === stepKey)?.result,
    );
  }

  /** Reads an event again, with its payload. */
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
    // A page with large values has fewer rows.
    for (let count = 0; count < 100; count += 1) {
      const query = {
        cursor,
        pageSize: 100,
        payloads: "full",
        reveal: 1,
        runNumber: this.#runRead(),
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

  /** The run whose pages were read so far, so that what is read later belongs to the same one. */
  #runRead(): number | undefined {
    return this.#runNumber ?? this.#pages[0]?.page.runNumber;
  }

  #read(asked: Omit<KeptPage, "page">, signal: AbortSignal): Promise<History> {
    // The first page is of the present run, if no run is chosen, and later pages follow it.
    const runNumber = asked.cursor === undefined ? this.#runNumber : this.#runRead();
    const query = { ...asked, runNumber };
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
