/** The common part of every client, around its driver's way to apply a batch. */
import type {
  BatchOptions,
  BatchResult,
  Conflict,
  Database,
  Row,
  Statement,
  UniqueViolation,
} from "../batch.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { DatabaseError } from "../errors.ts";

/** The part that each client provides. */
export interface Driver {
  readonly dialect: Dialect;
  /** As in `Database`. */
  readonly isSerial: boolean;
  /** As in `Database`. */
  readonly isLocal?: boolean;
  /** As in `Database`. */
  readonly billsRows?: boolean;
  /** Applies at least one statement, atomically and in order, and returns the rows of each. */
  apply(
    statements: readonly Statement[],
    options: BatchOptions,
  ): Promise<readonly (readonly Row[])[]>;
  /** The meaning of something that `apply` threw. */
  classify(error: unknown): Conflict | UniqueViolation | DatabaseError;
  /** Called once. */
  close(): Promise<void>;
}

/** Creates a client over a driver. It handles empty batches, batches after `close`, and errors of the driver. */
export function createDatabase(driver: Driver): Database {
  return new DriverDatabase(driver);
}

const EMPTY: BatchResult = { kind: "committed", rows: [] };

class DriverDatabase implements Database {
  readonly dialect: Dialect;
  readonly isSerial: boolean;
  readonly isLocal: boolean;
  readonly billsRows: boolean;
  readonly #driver: Driver;
  #closed = false;

  constructor(driver: Driver) {
    this.dialect = driver.dialect;
    this.isSerial = driver.isSerial;
    this.isLocal = driver.isLocal ?? false;
    this.billsRows = driver.billsRows ?? false;
    this.#driver = driver;
  }

  async batch(statements: readonly Statement[], options: BatchOptions = {}): Promise<BatchResult> {
    if (this.#closed) {
      throw new DatabaseError("DATABASE_UNAVAILABLE", "the database client is closed");
    }
    if (statements.length === 0) return EMPTY;
    try {
      return { kind: "committed", rows: await this.#driver.apply(statements, options) };
    } catch (error) {
      const outcome = this.#driver.classify(error);
      if (outcome instanceof DatabaseError) throw outcome;
      return outcome;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#driver.close();
  }
}
