/** What docs/trips.md counts the trips of. */
import type { Engine } from "@escapement/engine";
import type { workflows } from "./trip-workflows.ts";
import type { WiredStore } from "./wire.ts";

type Proof = Engine<typeof workflows>;

export interface Scene {
  readonly engine: Proof;
  readonly wired: WiredStore;
  /** Trips of `work`. */
  count(work: () => Promise<unknown>): Promise<number>;
  /** Waits, past the proxy, until an instance is complete. */
  completed(workflowName: string, instanceId: string): Promise<void>;
}

export interface Operation {
  readonly name: string;
  readonly budget: number;
  /** Does the operation and answers how many trips it took. */
  readonly measure: (scene: Scene) => Promise<number>;
}

export const tick = ({ engine }: Scene): Promise<unknown> => engine.tick();
