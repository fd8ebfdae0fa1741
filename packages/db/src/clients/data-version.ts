/** Reports when another connection has written to a SQLite file and left something to do. */
import type { Listening } from "../batch.ts";

/** The time between two looks while there is something to do, in milliseconds. A look takes microseconds and no lock. */
const SHORTEST_MS = 10;

/** The same after a long time with nothing to do. */
const LONGEST_MS = 160;

/**
 * Looks at a number that changes with every commit of another connection. When it has changed, asks whether there is something to
 * do. Each time there is nothing, the interval doubles.
 *
 * @param readRows rows of `pragma data_version`
 * @source https://sqlite.org/pragma.html#pragma_data_version (read 2026-11)
 */
export function watchDataVersion(
  readRows: () => unknown[],
  { isDue, onHint }: Listening,
): () => void {
  let known: number | null = null;
  const findDue = async (): Promise<boolean> => {
    const [row] = readRows() as { readonly data_version: number }[];
    const version = row?.data_version ?? null;
    if (version === known) return false;
    const found = await isDue();
    known = version;
    return found;
  };
  let isStopped = false;
  let pauseMs = SHORTEST_MS;
  const look = async (): Promise<void> => {
    // If the file cannot be read now, the next look tries again.
    const found = await findDue().catch(() => false);
    if (isStopped) return;
    pauseMs = found ? SHORTEST_MS : Math.min(pauseMs * 2, LONGEST_MS);
    timer = setTimeout(start, pauseMs);
    if (found) onHint();
  };
  const start = (): void => void look();
  let timer = setTimeout(start, pauseMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
