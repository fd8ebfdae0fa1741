/** The SQL storage of an object, as workerd counts what Cloudflare bills: rows written, those of indexes too. */
import type { createDurableObjectDatabase } from "@escapement/db/durable-object";

type Storage = Parameters<typeof createDurableObjectDatabase>[0];

/** @source https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/#sqlstoragecursor, read 2026-11 */
interface Cursor {
  readonly rowsWritten: number;
  toArray(): unknown[];
}

export class CountedStorage implements Storage {
  readonly #storage: Storage;
  #rowsWritten = 0;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  readonly sql: Storage["sql"] = {
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
