/** A database whose driver is loaded and opened by its first batch. */
import {
  type BatchOptions,
  type Dialect,
  type Listening,
  type BatchResult,
  DatabaseError,
  type Statement,
} from "@escapement/db/client";
import type { Database } from "@escapement/db";
import { WorkflowError } from "../core/errors.ts";

/** The properties that are known before the database is open. */
export interface UnopenedDatabase extends Required<Pick<Database, "dialect" | "isSerial">> {
  /** If it fails, the next batch calls it again. */
  open(): Promise<Database>;
}

/** Creates the database; nothing happens before its first batch. */
export const openLater = (unopened: UnopenedDatabase): Database => new LateDatabase(unopened);

class LateDatabase implements Database {
  readonly dialect: Dialect;
  readonly isSerial: boolean;
  readonly #open: () => Promise<Database>;
  #database: Database | null = null;
  #opening: Promise<Database> | null = null;
  readonly #opened = new Set<(database: Database) => void>();
  #isClosed = false;

  constructor({ dialect, isSerial, open }: UnopenedDatabase) {
    this.dialect = dialect;
    this.isSerial = isSerial;
    this.#open = open;
  }

  async batch(statements: readonly Statement[], options?: BatchOptions): Promise<BatchResult> {
    if (this.#isClosed)
      throw new DatabaseError("DATABASE_UNAVAILABLE", "the database client is closed");
    const database = this.#database ?? (await (this.#opening ??= this.#openNow()));
    return database.batch(statements, options);
  }

  /** Listens once the database is open, if it can. */
  listen(listening: Listening): () => void {
    let stop = (): void => void this.#opened.delete(start);
    const start = (database: Database): void => {
      stop = database.listen?.(listening) ?? stop;
    };
    if (this.#database === null) this.#opened.add(start);
    else start(this.#database);
    return () => stop();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const database = this.#database ?? (await this.#opening?.catch(() => null));
    await database?.close();
  }

  async #openNow(): Promise<Database> {
    try {
      this.#database = await this.#open();
      for (const start of this.#opened) start(this.#database);
      this.#opened.clear();
      return this.#database;
    } catch (error) {
      if (WorkflowError.is(error) || DatabaseError.is(error)) throw error;
      const message = `the database cannot be opened: ${String(error)}`;
      throw new DatabaseError("DATABASE_UNAVAILABLE", message, error);
    } finally {
      this.#opening = null;
    }
  }
}
