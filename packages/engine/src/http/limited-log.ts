/** A log that strangers cannot fill: lines that repeat are only counted for a while. */
import type { EpochMs } from "../core/model/records.ts";
import { Repeats } from "../core/repeats.ts";
import type { Logger } from "../ports/logger.ts";

/**
 * Lines with the same event, code, route, policy and reason are written once a minute. The field `repeated` counts those that were left
 * out. Errors of a route are always written.
 *
 * @param now process clock in epoch milliseconds
 */
export function limitLog(logger: Logger, now: () => EpochMs): Logger {
  const repeats = new Repeats();
  return {
    log: (level, event, fields) => {
      // Strangers cause refusals, and errors of requests that have no route yet, as when code cannot be loaded. Other errors come from
      // callers that were let in, and are always logged.
      if (level === "error" && fields["route"] !== null) return logger.log(level, event, fields);
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
