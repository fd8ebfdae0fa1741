/** What every client does around its driver's one way to apply a batch. */
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

/** What a client adds of its own. */
export interface Driver {
  readonly dialect: Dialect;
  /** As in `Database`. */
  readonly isSerial: boolean;
  /** As in `Database`. */
  readonly isLocal?: boolean;
  /** As in `Database`. */
  readonly billsRows?: boolean;
  /** Applies the statements, one at least, atomically and in order; the rows of each. */
  apply(
    statements: readonly Statement[],
    options: BatchOptions,
  ): Promise<readonly (readonly Row[])[]>;
  /** What something that `apply` threw means. */
  classify(error: unknown): Conflict | UniqueViolation | DatabaseError;
  /** Called once. */
  close(): Promise<void>;
}

/** Creates a client over a driver: batches of nothing, batches after `close`, and what the driver throws are its part. */
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
