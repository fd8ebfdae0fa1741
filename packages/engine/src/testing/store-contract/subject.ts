/** What a store under contract gives to the suite. */
import type { OtherTableStatement } from "../../core/model/change.ts";
import type { EpochMs, RunRef } from "../../core/model/records.ts";
import type { Store } from "../../ports/store.ts";
import type { VirtualClock } from "../virtual-clock.ts";

/** A table beside the engine's, with keys that are there once. */
export interface ForeignTable {
  /** Inserts a key and returns it as `key`. */
  readonly insert: (key: string) => OtherTableStatement;
  has(key: string): Promise<boolean>;
  /** A statement that the database rejects. */
  readonly wrong: OtherTableStatement;
  /** A guard that is false, and its name. */
  readonly falseGuard: OtherTableStatement;
  readonly falseGuardName: string;
}

/** A fresh, empty store whose time only the clock moves. */
export interface StoreFixture {
  readonly store: Store;
  readonly clock: VirtualClock;
  /** Another store on the same data, as another process would have; needed by `severalStores`. */
  openAnother?(): Promise<Store>;
  /** Writes `lockedUntil` into a pending task behind the store's back; needed by `outsideWrites`. */
  lockPendingTask?(run: RunRef, lockedUntil: EpochMs): Promise<void>;
  /** Rows of the task table, of any status, behind the store's back. */
  countTasks(workflowName: string): Promise<number>;
  /** Needed by `commitsForeignWrites`. */
  readonly foreignTable?: ForeignTable;
  teardown(): Promise<void>;
}

/** What a store can show. A text says why it cannot; the tests that need it are skipped with that reason. */
export interface StoreCapabilities {
  /** Several stores work on the same data at once (`openAnother`). */
  readonly severalStores: true | string;
  /** Rows can be changed without the store (`lockPendingTask`). */
  readonly outsideWrites: true | string;
  /** Commits carry writes of other tables (`foreignTable`); a store that cannot refuses them with a code. */
  readonly commitsForeignWrites: true | string;
}

export interface StoreSubject {
  readonly name: string;
  readonly capabilities: StoreCapabilities;
  /** Called once for the suite; every test uses workflow names of its own. */
  setup(): Promise<StoreFixture>;
}
