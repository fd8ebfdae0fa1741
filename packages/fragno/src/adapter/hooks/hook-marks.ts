/** Writes the outcomes of hooks to the database. */
import { batchWithRetry, type Statement } from "@escapement/db/client";
import { library } from "../library.ts";
import type { Executing } from "../executor.ts";
import { type Sql, toStatement } from "../sql.ts";

/** How many microtask turns to wait for other hooks that end at about the same time. */
const TURNS = 10;

interface Waiting {
  readonly statement: Sql | Statement;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Hooks that end together are marked in one trip; none waits for a hook that is still running. Each mark has its own fence, so that
 * a hook that lost its lease does not undo the others.
 */
export class HookMarks {
  readonly #executing: Executing;
  #waiting: Waiting[] = [];
  #isSending = false;

  constructor(executing: Executing) {
    this.#executing = executing;
  }

  /** Settles when the mark is committed. @throws {DatabaseError} as `Database.batch` */
  add(statement: Sql | Statement): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statement, resolve, reject });
      if (!this.#isSending) void this.#sendAll();
    });
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    // Not a timer, because tests may have stopped those.
    for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
    while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0));
    this.#isSending = false;
  }

  async #send(marks: readonly Waiting[]): Promise<void> {
    const { database, retry } = this.#executing;
    try {
      const statements = marks.map(({ statement }) => toStatement(statement, database.dialect));
      const { kind } = await batchWithRetry(database, statements, retry);
      if (kind !== "committed") throw new library.ConcurrencyConflictError(kind);
      for (const { resolve } of marks) resolve();
    } catch (error) {
      for (const { reject } of marks) reject(error);
    }
  }
}
