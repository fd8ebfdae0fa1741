/** Tells this process's processors that hooks were filed, so that they run at once and not at the next poll. */
import type { CompiledMutation } from "@fragno-dev/db/unit-of-work";
import type { CompiledWrite } from "../compile-write.ts";
import { HOOKS_TABLE } from "../internals.ts";

export class FiledHooks {
  readonly #listeners = new Set<() => void>();

  /** Calls the listener after each commit that files hooks, until the returned function is called. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notes that these writes were committed. */
  noteCommit(writes: readonly CompiledMutation<CompiledWrite>[]): void {
    if (this.#listeners.size === 0) return;
    const isFiled = writes.some(
      ({ op, query }) => op === "create" && query.row.physicalTable === HOOKS_TABLE,
    );
    if (isFiled) this.note();
  }

  /** Notes that other statements filed hooks. */
  note(): void {
    for (const listener of this.#listeners) listener();
  }
}
