/** A process's own connection to the database, which can die while the database lives on. */
import type { Database } from "@escapement/db";

export interface KillableDatabase extends Database {
  /** From now on, nothing is answered: current and future calls hang. */
  kill(): void;
}

/** Closing it leaves the database open. */
export function createKillableDatabase(database: Database): KillableDatabase {
  let isKilled = false;
  const never = new Promise<never>(() => undefined);
  return {
    dialect: database.dialect,
    batch: async (statements) => {
      if (isKilled) return never;
      const result = await database.batch(statements);
      return isKilled ? never : result;
    },
    close: async () => undefined,
    kill: () => {
      isKilled = true;
    },
  };
}
