/** Somebody who reads the tables while the processes work, and writes down which steps are completed. */
import type { Database } from "@escapement/db";
import type { AppendToLedger } from "./ledger.ts";
import { query } from "./tables.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How many rows back each look goes: more than are written between two looks. */
const WINDOW = 400;

export interface Observer {
  stop(): Promise<void>;
}

/** Looks twice a second until stopped. */
export function startObserver(database: Database, append: AppendToLedger): Observer {
  const known = new Set<string>();
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    const rows = await query(
      database,
      `select "instanceId", "stepKey" from workflow_step_workflows where "status" = 'completed' and "type" = 'do'
       order by "_internalId" desc limit ${WINDOW}`,
    );
    for (const row of rows) {
      const [id, key] = [String(row["instanceId"]), String(row["stepKey"])];
      const name = `${id} ${key}`;
      if (known.has(name)) continue;
      known.add(name);
      append({ kind: "durable", id, key });
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // The database may be away: then there is nothing to see.
      await look().catch(() => undefined);
      await pause(500);
    }
  };
  const done = run();
  return {
    stop() {
      stopping.abort();
      return done;
    },
  };
}
