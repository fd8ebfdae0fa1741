/**
 * @module How the contract changes the application from outside: a database that is down or not migrated, a process that dies at work,
 * a clock that is off and drifts, and a readable log. It runs inside the adapter: Web APIs only.
 */
import { type Logger, WorkflowError } from "@escapement/engine";
import { createDeaths, type Death, isDeath, type Store } from "./deaths.ts";

/** Why the application's database calls fail. `unmigrated`: the database answers, but the tables are missing. */
export type Outage = "down" | "unmigrated";

/** Whether the application's database answers, or how the process that claims next dies. */
export type DatabaseState = "up" | Outage | Death;

/** One line that the application logged. */
export interface ContractLogLine {
  readonly level: Parameters<Logger["log"]>[0];
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Create one per application. */
export interface ContractFaults {
  /** Wraps the application's store, so that it fails as the database's state says. */
  readonly wrapStore: (store: Store) => Store;
  /** The logger for the engine and the adapter. It keeps its lines for the contract. */
  readonly logger: Logger;
  readonly setDatabase: (state: DatabaseState) => void;
  readonly readLog: () => readonly ContractLogLine[];
}

/**
 * Creates the switches of the application's database.
 *
 * @param database its state when the application starts
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

/** The errors of the SQL store. How drivers' errors become these is tested by the contracts of stores and clients. */
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

/** A clock that is off also runs too fast or too slow, by one minute in twenty. */
const DRIFT = 0.05;

/** A process clock that is off and keeps drifting. @param offMs is added to the real time, see `FixtureOptions.clockOffMs` */
export function createClock(offMs: number = 0): () => number {
  const startedAt = Date.now();
  const drift = DRIFT * Math.sign(offMs);
  return () => {
    const now = Date.now();
    return now + offMs + Math.round((now - startedAt) * drift);
  };
}
