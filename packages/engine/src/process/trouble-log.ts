/** Logs trouble of a process with its database once a minute, and not once per run. */
import { Repeats } from "../core/repeats.ts";
import type { Host } from "../ports/host.ts";
import type { Logger, LogLevel } from "../ports/logger.ts";

/** Logs a kind of trouble at once, then at most once a minute with the number of times it came meanwhile (`repeated`). */
export function createTroubleLog(
  logger: Logger,
  host: Pick<Host, "elapsedMs">,
): (level: LogLevel, event: string, fields: Readonly<Record<string, unknown>>) => void {
  const repeats = new Repeats();
  return (level, event, fields) => {
    const told = repeats.tell(event, host.elapsedMs(), fields);
    if (told !== null) logger.log(level, event, told);
  };
}
