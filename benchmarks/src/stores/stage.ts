/** A place where both contenders can be opened on the same kind of database. */
import type { Database } from "@escapement/db";
import type { Contender } from "../contender.ts";
import type { Milestones } from "../milestones.ts";

export interface Stage {
  /** Our database, not migrated. */
  readonly openDatabase: (connections: number) => Database;
  readonly openFloor: (milestones: Milestones) => Promise<Contender>;
  /** Removes what was made, after all contenders are closed. */
  readonly remove: () => Promise<void>;
}
