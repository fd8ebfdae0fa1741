/**
 * @module What the contract does to the application from outside: a database that is away or not migrated, a clock that
 * is off, and the log read back. It runs inside the adapter: Web APIs only.
 */
import { type EngineOptions, type Logger, type LogLevel, WorkflowError } from "@escapement/engine";

type Store = EngineOptions<Record<string, never>>["store"];

/** Whether the application's database answers. `unmigrated`: it does, and the tables are missing. */
export type DatabaseState = "up" | "down" | "unmigrated";

export interface ContractLogLine {
  readonly level: LogLevel;
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

/** @param database how it is when the application starts */
export function createFaults(database: DatabaseState = "up"): ContractFaults {
  const lines: ContractLogLine[] = [];
  let state = database;
  return {
    wrapStore: (store) => failWhile(store, () => state),
    logger: { log: (level, event, fields) => void lines.push({ level, event, fields }) },
    setDatabase: (next) => {
      state = next;
    },
    readLog: () => lines,
  };
}

/** As the SQL store fails; how drivers' errors become these is the business of the store's and the clients' contracts. */
const FAILURES: Readonly<Record<Exclude<DatabaseState, "up">, () => WorkflowError>> = {
  down: () => new WorkflowError("STORE_UNAVAILABLE", "the database cannot be reached"),
  unmigrated: () => new WorkflowError("SCHEMA_MISMATCH", "the tables are missing: migrate"),
};

function failWhile(store: Store, readState: () => DatabaseState): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || name === "close") return member;
      return async (...parameters: readonly unknown[]): Promise<unknown> => {
        const state = readState();
        if (state !== "up") throw FAILURES[state]();
        return Reflect.apply(member, target, parameters);
      };
    },
  });
}

/** A process clock that is off. @param offMs added to the real one, see `FixtureOptions.clockOffMs` */
export const createClock =
  (offMs: number = 0): (() => number) =>
  () =>
    Date.now() + offMs;
