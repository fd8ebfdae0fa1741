/** Runs in Node 24 and in Deno: clients of one SQLite file, whose path is the argument. */
import { DatabaseSync } from "node:sqlite";
import { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { serveClients } from "../bridge/serve-clients.ts";
import { listen } from "./listen.ts";

const [path = "", busyTimeoutMs = "2000"] = process.argv.slice(2);

listen(
  serveClients(() => {
    const connection = new DatabaseSync(path);
    applyRecommendedPragmas(connection, {
      synchronous: "NORMAL",
      busyTimeoutMs: Number(busyTimeoutMs),
    });
    return createNodeSqliteDatabase(connection);
  }),
);
