/** For tests: a store whose process dies at a commit that the test chooses. */
import type { Commit, Store } from "@escapement/engine/internal";

/** A promise that a test resolves. */
export function createLatch(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export const hasForeignWrites = ({ changes }: Commit): boolean =>
  changes.some(({ kind }) => kind === "otherTables");

/** Whether the commit at which the process dies is still applied. */
export type Death = "before" | "after";

/** Dies at the n-th commit with writes to other tables (or, with `any`, of all commits): from then on, its commits never return. */
export function createDyingStore(
  store: Store,
  at: { readonly commit: number; readonly death: Death; readonly any?: boolean },
): { readonly store: Store; readonly died: Promise<void> } {
  const died = createLatch();
  let commits = 0;
  let isDead = false;
  const silence = new Promise<never>(() => {});
  const commit: Store["commit"] = async (batch) => {
    if (isDead) return silence;
    if (at.any === true || batch.some(hasForeignWrites)) commits += 1;
    if (commits !== at.commit) return store.commit(batch);
    isDead = true;
    if (at.death === "after") await store.commit(batch);
    died.open();
    return silence;
  };
  return { store: { ...store, commit }, died: died.opened };
}
