/** A log that strangers cannot fill: a line that says what one before it said is only counted for a while. */
import type { EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";

const PERIOD_MS = 60_000;
/** Kinds of lines told apart; what is beyond them shares one. */
const MAX_KINDS = 100;

interface Kind {
  readonly toldAt: EpochMs;
  suppressed: number;
}

/**
 * Lines of one event, code, route and reason are written once a minute, with the number of those that were not as
 * `repeated`. Errors are all written.
 *
 * @param now process clock in epoch milliseconds
 */
export function limitLog(logger: Logger, now: () => EpochMs): Logger {
  const kinds = new Map<string, Kind>();
  return {
    log: (level, event, fields) => {
      // Strangers are refused; what fails, fails for those who were let in, and is always told.
      if (level === "error") return logger.log(level, event, fields);
      const reason = readReason(fields["details"]);
      const wanted = JSON.stringify([event, fields["code"], fields["route"], reason]);
      const name = kinds.has(wanted) || kinds.size < MAX_KINDS ? wanted : "";
      const kind = kinds.get(name);
      // A clock that was set back would keep it silent.
      if (kind !== undefined && Math.abs(now() - kind.toldAt) < PERIOD_MS) {
        kind.suppressed += 1;
        return;
      }
      const repeated = kind?.suppressed ?? 0;
      kinds.set(name, { toldAt: now(), suppressed: 0 });
      logger.log(level, event, repeated === 0 ? fields : { ...fields, repeated });
    },
  };
}

/** Why a tick was refused: one of a few words. */
const readReason = (details: unknown): unknown =>
  typeof details === "object" && details !== null && "reason" in details ? details.reason : null;
