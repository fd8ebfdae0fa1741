/** The purges of a process. Their code, which also reads the option, is loaded with the first look. */
import { toLogFields, WorkflowError } from "../core/errors.ts";
import { late } from "../core/late.ts";
import type { RetentionOptions } from "../core/retention.ts";
import type { Purging, RunContext } from "../run/context.ts";
import type { Retention } from "./retention.ts";

const retaining = late(() => import("./retention.ts"));

/** Each of its functions rejects if the option is invalid. `createEngine` has checked it by then. */
export function createRetention(
  context: Pick<RunContext, "store" | "host" | "logger">,
  options: RetentionOptions,
): Purging {
  let retention: Retention | null = null;
  const use = async (act: (purges: Retention) => Promise<void> | void): Promise<void> => {
    try {
      const code = await retaining();
      retention ??= new code.Retention(context, options);
    } catch (error) {
      if (WorkflowError.is(error)) throw error;
      return context.logger.log("warn", "retention.failed", toLogFields(error));
    }
    await act(retention);
  };
  return {
    purge: (budget) => use((purges) => purges.purge(budget)),
    beside: (isIdle) => void use((purges) => purges.beside(isIdle)),
    stop: () => use((purges) => purges.stop()),
  };
}
