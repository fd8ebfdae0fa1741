/** Runs in Deno: the shop of `fragno-app.ts` on the SQLite file that its argument names. */
import { argv } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { openFragnoApp } from "./fragno-app.ts";
import { serveInDeno } from "./serve-in-deno.ts";

const connection = new DatabaseSync(argv[2] ?? "");
applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
serveInDeno(openFragnoApp(createNodeSqliteDatabase(connection)));
