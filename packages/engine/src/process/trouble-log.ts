/** Trouble of a process with its database, told once a period and not once a run. */
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { Logger, LogLevel } from "../ports/logger.ts";

const PERIOD_MS: DurationMs = 60_000;

interface Trouble {
  /** By the monotonic clock. */
  readonly toldAtMs: number;
  /** Times it came since it was told. */
  readonly untold: number;
}

/** Logs a kind of trouble at once, then at most once a minute with the number of times it came meanwhile (`repeated`). */
export function createTroubleLog(
  logger: Logger,
  host: Pick<Host, "elapsedMs">,
): (level: LogLevel, event: string, fields: Readonly<Record<string, unknown>>) => void {
  const troubles = new Map<string, Trouble>();
  return (level, event, fields) => {
    const nowMs = host.elapsedMs();
    const before = troubles.get(event);
    if (before !== undefined && nowMs - before.toldAtMs < PERIOD_MS) {
      troubles.set(event, { ...before, untold: before.untold + 1 });
      return;
    }
    troubles.set(event, { toldAtMs: nowMs, untold: 0 });
    const repeated = before?.untold ?? 0;
    logger.log(level, event, repeated === 0 ? fields : { ...fields, repeated });
  };
}
