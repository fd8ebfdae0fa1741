/** `core/deadline.ts` in SQL, with the database's clock. */
import type { Dialect } from "@escapement/db/client";

/** Expression: the current request to end of an instance's run. */
export const endRequestNow = ({ now }: Dialect, alias: string): string =>
  `coalesce(${alias}."endRequested", case when ${alias}."deadlineAt" <= ${now} then 'deadline' end)`;

/** Expression: when a waiting run is due at the latest; null: no limit. */
export const dueByDeadline = (alias: string): string =>
  `case when ${alias}."endRequested" is null then ${alias}."deadlineAt" end`;

/** Expression: the deadline of a run that begins again, or continues after its end. */
export const keptDeadline = ({ now }: Dialect): string =>
  `case when "deadlineAt" > ${now} then "deadlineAt" end`;
