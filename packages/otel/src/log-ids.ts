/** Log lines with the ids of the span that they belong to. */
import { trace } from "@opentelemetry/api";
import type { Logger } from "@escapement/engine";
import type { FollowedRuns } from "./followed-runs.ts";
import { quietly } from "./quietly.ts";
import { idsOf } from "./trace-context.ts";

type Fields = Parameters<Logger["log"]>[2];

/** Lines about a run get the ids of its span, or of the attempt that they are about; other lines get those of the active span. */
export const withLogIds = (logger: Logger, runs: Pick<FollowedRuns, "spanOf">): Logger => {
  const addIds = (fields: Fields): Fields => {
    const span = runs.spanOf(fields) ?? trace.getActiveSpan();
    return span === undefined ? fields : { ...fields, ...idsOf(span) };
  };
  return {
    // The line that every run has got its ids where it was created. Looking up the run again would cost more than the line.
    log: (level, event, fields) =>
      logger.log(level, event, "trace_id" in fields ? fields : (quietly(addIds, fields) ?? fields)),
  };
};
