/** The conditions and assignments of `restartOrCreate` besides those of a restart. It leaves an instance alone that it has just created. */
import type { Dialect } from "@escapement/db/client";
import type { Replacing } from "./control.ts";
import { keptDeadline } from "./deadline.ts";
import { hasStatusAmong } from "./demand.ts";
import { setGiven } from "./update.ts";

/** Parameters of the condition: row id of the instance that the call creates, statuses as `,a,b,` or null; then the params, `toGivenValues` and the control key with inputs. */
export const replacing = (dialect: Dialect): Replacing => ({
  condition: (alias, position) =>
    `${alias}."id" <> ${dialect.param(position)} and ${hasStatusAmong(dialect, alias, position + 1)}`,
  set: (position) =>
    `"params" = ${dialect.param(position + 2)}, ${setGiven(dialect, position + 3, keptDeadline(dialect))}`,
  setsDeadline: true,
  keyPosition: 15,
});
