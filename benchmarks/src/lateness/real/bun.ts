/** Naps on Bun, driven by the Bun adapter. */
import { Database } from "bun:sqlite";
import { createBunPlatform } from "@escapement/bun";
import { createBunSqliteDatabase } from "@escapement/db/bun-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { createEngine } from "@escapement/engine";
import { runNaps } from "./naps.ts";

await runNaps(
  (path) => {
    const connection = new Database(path);
    applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
    return createBunSqliteDatabase(connection);
  },
  async (application) => {
    const platform = createBunPlatform();
    const engine = createEngine({ ...application, platform, http: { open: true } });
    platform.start();
    return engine.fetch;
  },
);
