/** The store under test. */
import type { Store } from "./engine-types.ts";

export interface Subject {
  readonly store: Store;
  /** Moves the store's own clock; absent: it reads the scheduler's. */
  readonly setNow?: (at: number) => Promise<void>;
  /** It may be read after every call. */
  readonly isQuick: boolean;
}
