/**
 * @module What the contract does to the application from outside: a database that is away or not migrated, a process that
 * ends while it works, a clock that is off and drifts, and the log read back. It runs inside the adapter: Web APIs only.
 */
import { type Logger, WorkflowError } from "@escapement/engine";
import { createDeaths, type Death, isDeath, type Store } from "./deaths.ts";

/** Why no call of the application's database succeeds. `unmigrated`: it answers, and the tables are missing. */
export type Outage = "down" | "unmigrated";

/** Whether the application's database answers, or with which call the process that claims next ends. */
export type DatabaseState = "up" | Outage | Death;

/** One line that the application logged. */
export interface ContractLogLine {
  readonly level: Parameters<Logger["log"]>[0];
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One for each application. */
export interface ContractFaults {
  /** The store for the application: it fails as the database's state says. */
  readonly wrapStore: (store: Store) => Store;
  /** For the engine and the adapter; keeps what it is told, for the contract to read. */
  readonly logger: Logger;
  readonly setDatabase: (state: DatabaseState) => void;
  readonly readLog: () => readonly ContractLogLine[];
}

/**
 * Creates switches for the application's database.
 *
 * @param database how it is when the application starts
 */
export function createFaults(database: DatabaseState = "up"): ContractFaults {
  const lines: ContractLogLine[] = [];
  const deaths = createDeaths();
  let state = database;
  return {
    wrapStore: (store) => failWhile(deaths.wrap(store), () => (isDeath(state) ? "up" : state)),
    logger: { log: (level, event, fields) => void lines.push({ level, event, fields }) },
    setDatabase: (next) => {
      state = next;
      deaths.await(isDeath(next) ? next : null);
    },
    readLog: () => lines,
  };
}

/** As the SQL store fails; how drivers' errors become these is the business of the store's and the clients' contracts. */
const FAILURES: Readonly<Record<Outage, () => WorkflowError>> = {
  down: () => new WorkflowError("STORE_UNAVAILABLE", "the database cannot be reached"),
  unmigrated: () => new WorkflowError("SCHEMA_MISMATCH", "the tables are missing: migrate"),
};

function failWhile(store: Store, readState: () => "up" | Outage): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || name === "close" || name === "listen") return member;
      return async (...parameters: readonly unknown[]): Promise<unknown> => {
        const state = readState();
        if (state !== "up") throw FAILURES[state]();
        return Reflect.apply(member, target, parameters);
      };
    },
  });
}

/** A clock that is off goes too fast or too slow besides: a minute in twenty. */
const DRIFT = 0.05;

/** A process clock that is off, and drifts further off. @param offMs added to the real one, see `FixtureOptions.clockOffMs` */
export function createClock(offMs: number = 0): () => number {
  const startedAt = Date.now();
  const drift = DRIFT * Math.sign(offMs);
  return () => {
    const now = Date.now();
    return now + offMs + Math.round((now - startedAt) * drift);
  };
}
