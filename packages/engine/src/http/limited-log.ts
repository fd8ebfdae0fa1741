/** A log that strangers cannot fill: a line that says what one before it said is only counted for a while. */
import type { EpochMs } from "../core/model/records.ts";
import { Repeats } from "../core/repeats.ts";
import type { Logger } from "../ports/logger.ts";

/**
 * Lines of one event, code, route, policy and reason are written once a minute, with the number of those that were not as
 * `repeated`. Errors are all written.
 *
 * @param now process clock in epoch milliseconds
 */
export function limitLog(logger: Logger, now: () => EpochMs): Logger {
  const repeats = new Repeats();
  return {
    log: (level, event, fields) => {
      // Strangers are refused; what fails, fails for those who were let in, and is always told.
      if (level === "error") return logger.log(level, event, fields);
      const reason = readReason(fields["details"]);
      const kind = JSON.stringify([
        event,
        fields["code"],
        fields["route"],
        fields["policy"],
        reason,
      ]);
      const told = repeats.tell(kind, now(), fields);
      if (told !== null) logger.log(level, event, told);
    },
  };
}

/** Why a tick was refused: one of a few words. */
const readReason = (details: unknown): unknown =>
  typeof details === "object" && details !== null && "reason" in details ? details.reason : null;
