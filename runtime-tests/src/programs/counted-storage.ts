/** The SQL storage of an object, as workerd counts what Cloudflare bills: rows written, those of indexes too. */
import type { DurableObjectSqlStorage } from "@escapement/db/durable-object";

/** @source https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/#sqlstoragecursor, read 2026-11 */
interface Cursor {
  readonly rowsWritten: number;
  toArray(): unknown[];
}

export class CountedStorage implements DurableObjectSqlStorage {
  readonly #storage: DurableObjectSqlStorage;
  #rowsWritten = 0;

  constructor(storage: DurableObjectSqlStorage) {
    this.#storage = storage;
  }

  readonly sql: DurableObjectSqlStorage["sql"] = {
    exec: (text, ...values) => {
      const cursor = this.#storage.sql.exec(text, ...values) as Cursor;
      return {
        toArray: () => {
          const rows = cursor.toArray();
          this.#rowsWritten += cursor.rowsWritten;
          return rows;
        },
      };
    },
  };

  transactionSync<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }

  /** Since the last call. */
  takeRowsWritten(): number {
    const taken = this.#rowsWritten;
    this.#rowsWritten = 0;
    return taken;
  }
}
