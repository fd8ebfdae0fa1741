/** A store that is a trip away and counts the trips. */
import { type MemoryStore, TRIP_MS, waitFor } from "./scene.ts";
import type { Meter } from "./meter.ts";

/** What is not of the store's own verbs passes as it is. */
export function slowDown(store: MemoryStore, meter: Meter): MemoryStore {
  const slow: Record<string, unknown> = { ...store };
  for (const [verb, call] of Object.entries(store)) {
    if (typeof call !== "function" || verb === "close") continue;
    slow[verb] = async (...given: unknown[]): Promise<unknown> => {
      meter.count("trips");
      meter.touchDatabase();
      await waitFor(TRIP_MS / 2);
      const result: unknown = await (call as (...all: unknown[]) => unknown).apply(store, given);
      await waitFor(TRIP_MS / 2);
      return result;
    };
  }
  return slow as unknown as MemoryStore;
}
