/** @module Looks at the descendants of instances before a delete. Loaded with the first delete. */
import type { Dialect } from "@escapement/db/client";
import { RETAIN_CHUNK } from "../../../ports/retain.ts";
import { isLive, memberColumns } from "./delete.ts";
import { members, WHOEVER_ENDED } from "./going.ts";
import { isInstanceKey } from "./instance-key.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, INSTANCE_IDS } from "./tables.ts";

/** Parameter: instances as JSON. Rows: one that has not ended: first among the instances, then their descendants, then their parents. */
export function selectLiveBelow(dialect: Dialect): string {
  const key = { workflowName: `i."parentWorkflowName"`, instanceId: `i."parentInstanceId"` };
  const isParent = `${isInstanceKey(dialect, { alias: "p", ...key })} and ${filter(`p."runNumber" = i."parentRunNumber"`)}`;
  const parents =
    `roots as o ${dialect.joinEach(INSTANCE, "i", dialect.isKey(`i."id"`, `o."id"`), INSTANCE_IDS)} ` +
    dialect.joinEach(INSTANCE, "p", isParent);
  return (
    `${members(dialect, WHOEVER_ENDED)}, live as (` +
    `select ${memberColumns("m")}, case when m."id" = m."rootId" then 0 else 1 end as "place" from members as m where ${isLive("m")} ` +
    `union all select ${memberColumns("p")}, 2 as "place" from ${parents} where ${isLive("p")}) ` +
    `select l."workflowName", l."instanceId", l."status" from live as l order by l."place", l."id" limit 1`
  );
}

/** The same parameter. One row: how many instances and descendants there are, up to the limit of a call. */
export const countBelow = (dialect: Dialect): string =>
  `${members(dialect, WHOEVER_ENDED)} select count(*) as "count" from members`;

/** Parameters: workflow and instance of the parent, and the position after which the page continues. Newest first. */
export function selectChildren(dialect: Dialect): string {
  const [workflowName, instanceId, at, id] = [1, 2, 3, 4].map(dialect.param);
  const from = dialect.fromMs(`cast(${at} as bigint)`);
  return (
    `select r."id", r."workflowName", r."instanceId", ${dialect.toMs(`r."createdAt"`)} as "at" from ${INSTANCE} as r ` +
    `where r."parentWorkflowName" = ${workflowName} and r."parentInstanceId" = ${instanceId} ` +
    `and r."createdAt" <= ${from} and (r."createdAt" <> ${from} or r."id" < ${id}) ` +
    `order by r."createdAt" desc, r."id" desc limit ${RETAIN_CHUNK.members}`
  );
}
