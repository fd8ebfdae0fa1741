/** The purges of a process. Their code, which also reads the option, is loaded with the first look. */
import { toLogFields, WorkflowError } from "../core/errors.ts";
import { late } from "../core/late.ts";
import type { RetentionOptions } from "../core/retention.ts";
import type { RunContext, UsePurging } from "../run/context.ts";
import type { Retention } from "./retention.ts";

const retaining = late(() => import("./retention.ts"));

/** `createEngine` has checked the options by then. */
export function createRetention(
  context: Pick<RunContext, "store" | "host" | "logger">,
  options: RetentionOptions,
): UsePurging {
  let retention: Retention | null = null;
  return async (act) => {
    try {
      const code = await retaining();
      retention ??= new code.Retention(context, options);
    } catch (error) {
      if (WorkflowError.is(error)) throw error;
      return context.logger.log("warn", "retention.failed", toLogFields(error));
    }
    await act(retention);
  };
}
