/** A place where both contenders can be opened on the same kind of database. */
import type { Database } from "@escapement/db";
import type { SqlStore } from "@escapement/engine/store/sql";
import type { Contender } from "../contender.ts";
import type { Milestones } from "../milestones.ts";

export interface Stage {
  /** Our store, by the call that the README gives, with its defaults. */
  readonly openStore: () => SqlStore;
  /** Our database, not migrated. */
  readonly openDatabase: (connections: number) => Database;
  readonly openFloor: (milestones: Milestones) => Promise<Contender>;
  /** Removes what was made, after all contenders are closed. */
  readonly remove: () => Promise<void>;
}
