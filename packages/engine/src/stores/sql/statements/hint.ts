/** Notifies listening processes of tasks that became due and were not claimed. */
import type { Dialect } from "@escapement/db/client";
import type { Query } from "../rows.ts";
import { TASK } from "./tables.ts";

/**
 * One more expression in a `returning`, if the database can notify and the store is set to. The notification is part of the
 * commit's trip, and is only sent for rows that were written.
 *
 * @param alias of the task
 * @param before the text before it
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

/** Rows: the channel. Channels are per database, and the table's id distinguishes stores in different schemas. */
export const HINT_CHANNEL: Query<{ readonly channel: string }> = {
  text: `select ${channelOf(`'${TASK}'::regclass::oid`)} as "channel"`,
  values: [],
};
