/** Lines of the log with the ids of the span that they belong to. */
import { trace } from "@opentelemetry/api";
import type { Logger } from "@escapement/engine";
import type { FollowedRuns } from "./followed-runs.ts";
import { quietly } from "./quietly.ts";
import { idsOf } from "./trace-context.ts";

type Fields = Parameters<Logger["log"]>[2];

/** Lines of a run have the ids of its span, or of the attempt's that they are about; others those of what is active. */
export const withLogIds = (logger: Logger, runs: Pick<FollowedRuns, "spanOf">): Logger => {
  const addIds = (fields: Fields): Fields => {
    const span = runs.spanOf(fields) ?? trace.getActiveSpan();
    return span === undefined ? fields : { ...fields, ...idsOf(span) };
  };
  return {
    // The line that each run has was given them where it was made: to look for the run again would cost more than the line.
    log: (level, event, fields) =>
      logger.log(level, event, "trace_id" in fields ? fields : (quietly(addIds, fields) ?? fields)),
  };
};
