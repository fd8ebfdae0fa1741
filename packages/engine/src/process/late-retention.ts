/** The purges of a process, whose code is loaded with the first look. */
import { toLogFields } from "../core/errors.ts";
import { late } from "../core/late.ts";
import type { RetentionRule } from "../core/retention.ts";
import type { Purging, RunContext } from "../run/context.ts";
import type { Retention } from "./retention.ts";

const retaining = late(() => import("./retention.ts"));

export function createRetention(
  context: Pick<RunContext, "store" | "host" | "logger">,
  rules: readonly RetentionRule[],
): Purging {
  let retention: Retention | null = null;
  const use = async (act: (purges: Retention) => Promise<void> | void): Promise<void> => {
    try {
      const code = await retaining();
      retention ??= new code.Retention(context, rules);
      await act(retention);
    } catch (error) {
      context.logger.log("warn", "retention.failed", toLogFields(error));
    }
  };
  return {
    purge: (budget) => use((purges) => purges.purge(budget)),
    beside: (isIdle) => void use((purges) => purges.beside(isIdle)),
    stop: () => use((purges) => purges.stop()),
  };
}
