/**
 * Gathers ticks that are about to begin: work that becomes due in one turn of the event loop shares one tick. Runs that are
 * already claimed share another tick, which looks for nothing else.
 */
import type { HeldRun, TickOutput } from "../ports/tick.ts";

export type Begin = (bounds: { readonly held?: readonly HeldRun[] }) => Promise<TickOutput>;

export interface Gathering {
  /**
   * Joins the tick of this turn, or lets one begin with the next turn.
   *
   * @param key the same for ticks that do the same
   * @param begin begins the tick with what has gathered
   */
  join(key: string, held: HeldRun | undefined, begin: Begin): Promise<TickOutput>;
}

interface Gathered {
  readonly held: HeldRun[];
  readonly ticked: Promise<TickOutput>;
}

/** @param turn resolves with the next turn */
export function createGathering(turn: () => Promise<unknown>): Gathering {
  const gathered = new Map<string, Gathered>();
  return {
    join: (of, held, begin) => {
      const key = `${of} ${held === undefined}`;
      const joined = gathered.get(key);
      if (held !== undefined) joined?.held.push(held);
      if (joined !== undefined) return joined.ticked;
      const all = held === undefined ? [] : [held];
      const ticked = turn().then(() => {
        gathered.delete(key);
        return begin(held === undefined ? {} : { held: all });
      });
      gathered.set(key, { held: all, ticked });
      return ticked;
    },
  };
}
