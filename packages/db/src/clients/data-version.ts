/** Tells when another connection has written to a SQLite file, and left something to do. */
import type { Listening } from "../batch.ts";

/** Between two looks while there is something to do, in milliseconds. A look takes microseconds and no lock. */
const SHORTEST_MS = 10;

/** The same once there has been nothing for long. */
const LONGEST_MS = 160;

/**
 * Looks at the number that changes with every commit of another connection, and asks what they did when it has; twice as rarely
 * each time that there is nothing to do.
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
    // A file that cannot be read now is looked at again.
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
