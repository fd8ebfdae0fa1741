/** Runs in Bun: clients of one SQLite file, whose path is the argument. */
import { Database } from "bun:sqlite";
import { createBunSqliteDatabase } from "@escapement/db/bun-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { serveClients } from "../bridge/serve-clients.ts";
import { listen } from "./listen.ts";

const [path = "", busyTimeoutMs = "2000"] = process.argv.slice(2);

listen(
  serveClients(() => {
    const connection = new Database(path);
    applyRecommendedPragmas(connection, {
      synchronous: "NORMAL",
      busyTimeoutMs: Number(busyTimeoutMs),
    });
    return createBunSqliteDatabase(connection);
  }),
);
