/**
 * @module Pages of instances over workflows: sorts what the walks find. Loaded with the first call.
 *
 * Parameters of all statements: branches as JSON, limit, largest payload, how many rows each walk looks at, and how many bytes a
 * page has.
 */
import type { Dialect } from "@escapement/db/client";
import { MAX_IN_ORDER } from "../../../ports/find-instances.ts";
import { boundedPage } from "./lists.ts";
import { IS_OF_KEY, isStuck, stuckInstances, stuckKeys } from "./stuck.ts";
import { INSTANCE, INSTANCE_IDS, PAGE_COLUMNS } from "./tables.ts";
import {
  branches,
  fewOfEach,
  isBehind,
  lookedAt,
  matches,
  ofParent,
  ofStatus,
  ofWorkflow,
  sharesOf,
} from "./walks.ts";

/** Further parameters: see `fewOfEach` and `sharesOf`. */
export const findNewest = (dialect: Dialect): string => findTogether(dialect, ofWorkflow);

/** Like `findNewest`, but each branch has a status. */
export const findByStatus = (dialect: Dialect): string => findTogether(dialect, ofStatus);

/** Walks along many workflows look at as many rows as a walk along one. */
function findTogether(dialect: Dialect, walk: typeof ofWorkflow): string {
  const from = `coalesce((select s."since" from "shares" as s), 0)`;
  const first = dialect.greatest(`b."createdFrom"`, from);
  return find(dialect, {
    before: [
      ["few", fewOfEach(dialect, walk(dialect))],
      ["shares", sharesOf(dialect)],
    ],
    looked: lookedAt(dialect, walk(dialect, first), `(select s."most" from "shares" as s)`),
  });
}

/** Like `findNewest`, for one branch with a parent. Further parameters: names of workflows and statuses, each as JSON rows. */
export const findChildren = (dialect: Dialect): string =>
  find(dialect, { looked: lookedAt(dialect, ofParent(dialect, 6)) });

/**
 * Like `findByStatus`, for stuck instances. Further parameter: names of the workflows in the form for `firstOfEach`. If the
 * tasks show that there are few, all of them are sorted; otherwise, the walks look for them. Only one of the two is run.
 */
export function findStuck(dialect: Dialect): string {
  const count = `(select count(*) from "keys")`;
  const walks = lookedAt(dialect, { ...ofStatus(dialect), isAsked: isStuck(dialect) });
  const ofBranch = dialect.isKeyAmong(
    `r."status"`,
    `select s."status" from ${branches(dialect, "s")}`,
  );
  return find(dialect, {
    before: [["keys", stuckKeys(dialect, 6)]],
    looked:
      `select r."id", ${dialect.toMs(`r."createdAt"`)} as "at", 1 as "isMatch", 0 as "isCut" ` +
      // Branches differ only in workflow and status.
      `from ${branches(dialect, "b", 1)} cross join ${stuckInstances(dialect)} ` +
      `where ${count} <= ${MAX_IN_ORDER} and ${IS_OF_KEY} and ${ofBranch} and ${matches(dialect)} ` +
      `and r."createdAt" >= ${dialect.fromMs(`b."createdFrom"`)} and ${isBehind(dialect)} ` +
      `union all ${walks} where ${count} > ${MAX_IN_ORDER}`,
  });
}

interface Found {
  /** SELECT of the rows for the page, and of the ends of walks that may go on. */
  readonly looked: string;
  /** SELECTs that it reads, by name. */
  readonly before?: readonly (readonly [name: string, rows: string])[];
}

function find(dialect: Dialect, { looked, before = [] }: Found): string {
  const page =
    `(select l."id" from "looked" as l where l."isMatch" = 1 and not exists (select 1 from "cut" as c ` +
    `where l."at" < c."at" or (l."at" = c."at" and l."id" < c."id")) ` +
    `order by l."at" desc, l."id" desc limit ${dialect.param(2)}) as g`;
  const shown = boundedPage(dialect, {
    columns: PAGE_COLUMNS.instance,
    payload: "output",
    texts: ["errorMessage", "errorDetail", "tags", "memo"],
    table: INSTANCE,
    from: `${page} ${dialect.joinEach(INSTANCE, "r", dialect.isKey(`r."id"`, `g."id"`), INSTANCE_IDS)}`,
    where: "true",
    limit: 2,
    maxPayload: 3,
    direction: "desc",
    maxBytes: `cast(${dialect.param(5)} as bigint)`,
  });
  return (
    `with ${[...before, ["looked", looked]].map(([name, rows]) => `"${name}" as materialized (${rows}), `).join("")}` +
    // After the end of any walk that was cut short, rows may be missing.
    `"cut" as (select l."at", l."id" from "looked" as l where l."isCut" = 1 order by l."at" desc, l."id" desc limit 1) ` +
    `select c."at" as "cutAt", c."id" as "cutId", q.* from (select 1 as "one") as o ` +
    `left join "cut" as c on true left join (${shown}) as q on true`
  );
}
