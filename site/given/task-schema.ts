/** Tables that the doc comments of `@escapement/fragno` speak of. */
import { column, idColumn, schema } from "@fragno-dev/db/schema";

export const taskSchema = schema((tables) =>
  tables.addTable("task", (task) =>
    task
      .addColumn("id", idColumn())
      .addColumn("owner", column("string"))
      .addColumn("runAt", column("timestamp"))
      .createIndex("due", ["runAt"]),
  ),
);
