/** The application on Bun: an HTTP API, a loop that stays, and Bun.cron as the net under it. */
import { Database } from "bun:sqlite";
import { createBunPlatform, serve } from "@escapement/bun";
import { createBunSqliteDatabase } from "@escapement/db/bun-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { createEngine } from "@escapement/engine";
import { bearerAuth } from "@escapement/engine/http";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { defineRefund } from "./workflow.ts";

const { API_TOKEN, DATABASE_FILE = "refunds.db", HOST, PAYOUT_URL, PORT } = process.env;
const connection = new Database(DATABASE_FILE);
applyRecommendedPragmas(connection);
const database = createBunSqliteDatabase(connection);
await migrate(database);

const platform = createBunPlatform({ handleSignals: true });
const engine = createEngine({
  workflows: { REFUND: defineRefund(PAYOUT_URL) },
  store: createSqlStore({ database }),
  platform,
  http: { authorizeRequest: bearerAuth(API_TOKEN) },
});
const server = serve({ engine, port: Number(PORT ?? 3000), hostname: HOST ?? "127.0.0.1" });
const worker = platform.start({ server });
console.log(`listening ${server.url}`);
await worker.stopped;
await database.close();
