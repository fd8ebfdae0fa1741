/** Both contenders on files of their own in one directory: WAL, synchronous=FULL, the `libsql` driver. */
import { join } from "node:path";
import Libsql from "libsql";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { sqlite } from "@escapement/engine/sqlite";
import { createEmbeddedFloor } from "../floors/embedded.ts";
import type { Stage } from "./stage.ts";

export function openEmbedded(): Stage {
  const directory = temporaryDirectory();
  return {
    openStore: () => sqlite(join(directory.path, "ours.db"), { synchronous: "FULL" }),
    openDatabase() {
      const connection = new Libsql(join(directory.path, "ours.db"));
      applyRecommendedPragmas(connection, { synchronous: "FULL" });
      return createSqliteDatabase(connection);
    },
    openFloor: async (milestones) =>
      createEmbeddedFloor(join(directory.path, "floor.db"), milestones),
    remove: async () => directory.remove(),
  };
}
