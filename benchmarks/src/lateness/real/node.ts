/** Naps on Node, driven by the Node adapter. */
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createEngine } from "@escapement/engine";
import { createNodePlatform } from "@escapement/node";
import Connection from "libsql";
import { runNaps } from "./naps.ts";

await runNaps(
  (path) => {
    const connection = new Connection(path);
    applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
    return createSqliteDatabase(connection);
  },
  async (application) => {
    const platform = createNodePlatform();
    const engine = createEngine({ ...application, platform, http: { open: true } });
    platform.start();
    return engine.fetch;
  },
);
