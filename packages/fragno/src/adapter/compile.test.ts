/** SQL text of the main operations, Postgres and SQLite side by side. No database. */
import { Cursor } from "@fragno-dev/db/cursor";
import { column, FragnoId, idColumn, schema } from "@fragno-dev/db/schema";
import { expect, test } from "vitest";
import { postgresDialect, sqliteDialect, type Statement } from "@escapement/db/client";
import { compileRead } from "./compile-read.ts";
import { compileWrite } from "./compile-write.ts";
import { dbNow } from "./db-now.ts";
import type { FindOperation, WriteOperation } from "./internals.ts";
import { type Sql, toStatement } from "./sql.ts";
import type { Scope } from "./tables.ts";

const history = schema((s) =>
  s.addTable("step", (t) =>
    t
      .addColumn("id", idColumn())
      .addColumn("workflow", column("string"))
      .addColumn("run", column("integer"))
      .addColumn("at", column("timestamp").nullable())
      .createIndex("idx_history", ["workflow", "run", "at"]),
  ),
);

/** The statements of both dialects; their expressions for the current time are written as NOW. */
function both(compile: (scope: Scope) => readonly Sql[]): Statement[][] {
  return [postgresDialect, sqliteDialect].map((dialect) =>
    compile({ dialect, namespace: "flow" }).map((piece) => {
      const { text, values } = toStatement(piece, dialect);
      return { text: text.replaceAll(dialect.now, "NOW"), values };
    }),
  );
}

const find = (options: Partial<FindOperation["options"]>): FindOperation => ({
  type: "find",
  schema: history,
  table: history.tables.step,
  indexName: "idx_history",
  options: { useIndex: "idx_history", select: ["id"] as never, ...options },
});

const compileFind = (op: FindOperation): Statement[][] =>
  both((scope) => {
    const { sql } = compileRead(scope, op);
    return sql === null ? [] : [sql];
  });

const write = (op: object): Statement[][] =>
  both(
    (scope) =>
      compileWrite(scope, { schema: history, table: "step", ...op } as unknown as WriteOperation)
        .query.statements as readonly Sql[],
  );

const read = new FragnoId({ externalId: "s1", internalId: 7n, version: 3 });

test("rows that an index does not tell apart come in the order of their ids where a page cuts them off", () => {
  const order = { indexName: "idx_history", direction: "desc" } as const;
  const texts = (pageSize?: number): (string | undefined)[] =>
    compileFind(find({ orderByIndex: order, ...(pageSize === undefined ? {} : { pageSize }) })).map(
      ([statement]) => /order by (.*?)(?: limit .*)?$/u.exec(statement?.text ?? "")?.[1],
    );
  const byIndex = `t."workflow" desc, t."run" desc, t."at" desc`;
  expect(texts()).toEqual([byIndex, byIndex]);
  expect(texts(5)).toEqual([`${byIndex}, t."id" desc`, `${byIndex}, t."id" desc`]);
});

test("S2-035 S2-036 a cursor over three columns is a chain of alternatives, in either direction", () => {
  const page = (orderDirection: "asc" | "desc") =>
    compileFind(
      find({
        orderByIndex: { indexName: "idx_history", direction: orderDirection },
        pageSize: 2,
        after: new Cursor({
          indexName: "idx_history",
          orderDirection,
          pageSize: 2,
          indexValues: { workflow: "w", run: 1, at: "2026-01-01T00:00:00.000001Z", id: "s0" },
        }).encode(),
      }),
    );
  expect(page("asc")).toMatchInlineSnapshot(`
    [
      [
        {
          "text": "select t."id" as "id", t."_internalId" as "_internalId", t."_version" as "_version" from "step_flow" as t where 1 = 1 and ((t."workflow" > $1) or (t."workflow" = $2 and t."run" > $3) or (t."workflow" = $4 and t."run" = $5 and (t."at" > cast($6 as timestamp) or t."at" is null)) or (t."workflow" = $7 and t."run" = $8 and t."at" = cast($9 as timestamp) and t."id" > $10)) order by t."workflow" asc, t."run" asc, t."at" asc, t."id" asc limit $11",
          "values": [
            "w",
            "w",
            1,
            "w",
            1,
            "2026-01-01T00:00:00.000001Z",
            "w",
            1,
            "2026-01-01T00:00:00.000001Z",
            "s0",
            2,
          ],
        },
      ],
      [
        {
          "text": "select t."id" as "id", t."_internalId" as "_internalId", t."_version" as "_version" from "step_flow" as t where 1 = 1 and ((t."workflow" > ?1) or (t."workflow" = ?2 and t."run" > ?3) or (t."workflow" = ?4 and t."run" = ?5 and t."at" > (?6)) or (t."workflow" = ?7 and t."run" = ?8 and t."at" = (?9) and t."id" > ?10)) order by t."workflow" asc, t."run" asc, t."at" asc, t."id" asc limit ?11",
          "values": [
            "w",
            "w",
            1,
            "w",
            1,
            1767225600000,
            "w",
            1,
            1767225600000,
            "s0",
            2,
          ],
        },
      ],
    ]
  `);
  expect(page("desc")[1]).toMatchInlineSnapshot(`
    [
      {
        "text": "select t."id" as "id", t."_internalId" as "_internalId", t."_version" as "_version" from "step_flow" as t where 1 = 1 and ((t."workflow" < ?1) or (t."workflow" = ?2 and t."run" < ?3) or (t."workflow" = ?4 and t."run" = ?5 and (t."at" < (?6) or t."at" is null)) or (t."workflow" = ?7 and t."run" = ?8 and t."at" = (?9) and t."id" < ?10)) order by t."workflow" desc, t."run" desc, t."at" desc, t."id" desc limit ?11",
        "values": [
          "w",
          "w",
          1,
          "w",
          1,
          1767225600000,
          "w",
          1,
          1767225600000,
          "s0",
          2,
        ],
      },
    ]
  `);
});

test("S2-029 the database's time is its own clock in UTC milliseconds, as value and as condition", () => {
  const create = {
    type: "create",
    values: { id: "s1", workflow: "w", run: 1, at: dbNow(5) },
    generatedExternalId: "s1",
  };
  expect(write(create)).toMatchInlineSnapshot(`
    [
      [
        {
          "text": "insert into "step_flow" ("id", "workflow", "run", "at") values ($1, $2, $3, (NOW + ($4) * interval '1 millisecond')) returning "_internalId"",
          "values": [
            "s1",
            "w",
            1,
            5,
          ],
        },
      ],
      [
        {
          "text": "insert into "step_flow" ("id", "workflow", "run", "at") values (?1, ?2, ?3, (NOW + ?4)) returning "_internalId"",
          "values": [
            "s1",
            "w",
            1,
            5,
          ],
        },
      ],
    ]
  `);
  const due = find({ where: (eb) => eb("at" as never, "<=", dbNow() as never) });
  expect(compileFind(due)).toMatchInlineSnapshot(`
    [
      [
        {
          "text": "select t."id" as "id", t."_internalId" as "_internalId", t."_version" as "_version" from "step_flow" as t where t."at" <= NOW",
          "values": [],
        },
      ],
      [
        {
          "text": "select t."id" as "id", t."_internalId" as "_internalId", t."_version" as "_version" from "step_flow" as t where t."at" <= NOW",
          "values": [],
        },
      ],
    ]
  `);
});

test("writes carry their guards", () => {
  expect(write({ type: "update", id: read, checkVersion: true, set: { run: 2 } }))
    .toMatchInlineSnapshot(`
    [
      [
        {
          "text": "with changed as (update "step_flow" set "run" = $1, "_version" = "_version" + 1 where "id" = $2 and "_version" = $3 returning 1) select cast(case when (select count(*) from changed) = 1 then '1' else 'escapement-guard:fragno-version' end as int)",
          "values": [
            2,
            "s1",
            3,
          ],
        },
      ],
      [
        {
          "text": "update "step_flow" set "run" = ?1, "_version" = "_version" + 1 where "id" = ?2 and "_version" = ?3",
          "values": [
            2,
            "s1",
            3,
          ],
        },
        {
          "text": "select case when changes() = 1 then 1 else json_extract('{}', 'escapement-guard:fragno-version') end",
          "values": [],
        },
      ],
    ]
  `);
  expect(write({ type: "update", id: "s1", checkVersion: false, set: { run: 2 } })[1]?.[1])
    .toMatchInlineSnapshot(`
    {
      "text": "select case when changes() = 1 then 1 else json_extract('{}', 'escapement-guard:fragno-row') end",
      "values": [],
    }
  `);
  expect(write({ type: "delete", id: "s1", checkVersion: false })).toMatchInlineSnapshot(`
    [
      [
        {
          "text": "delete from "step_flow" where "id" = $1",
          "values": [
            "s1",
          ],
        },
      ],
      [
        {
          "text": "delete from "step_flow" where "id" = ?1",
          "values": [
            "s1",
          ],
        },
      ],
    ]
  `);
  expect(write({ type: "check", id: read })).toMatchInlineSnapshot(`
    [
      [
        {
          "text": "with held as (select 1 from "step_flow" where "id" = $1 and "_version" = $2 for share) select cast(case when (select count(*) from held) = 1 then '1' else 'escapement-guard:fragno-version' end as int)",
          "values": [
            "s1",
            3,
          ],
        },
      ],
      [
        {
          "text": "select case when exists (select 1 from "step_flow" where "id" = ?1 and "_version" = ?2) then 1 else json_extract('{}', 'escapement-guard:fragno-version') end",
          "values": [
            "s1",
            3,
          ],
        },
      ],
    ]
  `);
});
