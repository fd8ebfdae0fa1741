/** Tells processes that listen of tasks that came due and that nobody has claimed. */
import type { Dialect } from "@escapement/db/client";
import type { Query } from "../rows.ts";
import { TASK } from "./tables.ts";

/**
 * One more expression of a `returning`, where the database can tell and the store does: it is told with the commit, in its trip,
 * and only of rows that were written.
 *
 * @param alias of the task
 * @param before what it follows
 */
export const hint = (
  { notify }: Dialect,
  alias: string,
  condition: string,
  before: " returning " | ", ",
): string =>
  notify === null
    ? ""
    : `${before}case when ${condition} then ${notify(channelOf(`${alias}.tableoid`))} end as "hint"`;

const channelOf = (tableId: string): string => `'escapement_' || ${tableId}::text`;

/** Rows: the channel. Channels are per database, and the table's id tells one schema's store from another's. */
export const HINT_CHANNEL: Query<{ readonly channel: string }> = {
  text: `select ${channelOf(`'${TASK}'::regclass::oid`)} as "channel"`,
  values: [],
};
