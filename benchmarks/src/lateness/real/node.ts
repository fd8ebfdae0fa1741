/** Naps on Node, driven by the Node adapter. */
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createEngine } from "@escapement/engine";
import { scheduler } from "@escapement/node";
import Connection from "libsql";
import { runNaps } from "./naps.ts";

await runNaps(
  (path) => {
    const connection = new Connection(path);
    applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
    return createSqliteDatabase(connection);
  },
  async (application) => {
    const engine = createEngine({ ...application, http: { open: true } });
    scheduler(engine);
    return engine.fetch;
  },
);
