import { column, idColumn, schema } from "@fragno-dev/db/schema";

/** The fragment's own tables: a session, and what happened in it. */
export const myFragmentSchema = schema((s) =>
  s
    .addTable("session", (t) =>
      t
        .addColumn("id", idColumn())
        .addColumn("agent", column("string"))
        .addColumn("status", column("string"))
        .createIndex("idx_status", ["status"]),
    )
    .addTable("event", (t) =>
      t
        .addColumn("id", idColumn())
        .addColumn("sessionId", column("string"))
        .addColumn("payload", column("json").nullable())
        .createIndex("idx_session", ["sessionId"]),
    ),
);
