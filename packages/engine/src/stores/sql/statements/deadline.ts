/** What the database's clock makes of deadlines: `core/deadline.ts` in SQL. */
import type { Dialect } from "@escapement/db/client";

/** Expression: what the run of an instance is asked for now. */
export const endRequestNow = ({ now }: Dialect, alias: string): string =>
  `coalesce(${alias}."endRequested", case when ${alias}."deadlineAt" <= ${now} then 'deadline' end)`;

/** Expression: when a run that waits is due at the latest; null: it is all the same. */
export const dueByDeadline = (alias: string): string =>
  `case when ${alias}."endRequested" is null then ${alias}."deadlineAt" end`;

/** Expression: the deadline of a run that begins anew, or goes on after its end. */
export const keptDeadline = ({ now }: Dialect): string =>
  `case when "deadlineAt" > ${now} then "deadlineAt" end`;
