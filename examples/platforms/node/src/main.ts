/** The application on Node: an HTTP API, and a loop that stays. */
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createEngine } from "@escapement/engine";
import { bearerAuth } from "@escapement/engine/http";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createNodePlatform, serve } from "@escapement/node";
import { createClient } from "@libsql/client";
import { defineRefund } from "./workflow.ts";

const { env } = process;
const { DATABASE_URL = "file:refunds.db", DATABASE_TOKEN, HOST, PORT } = env;
const token = DATABASE_TOKEN === undefined ? {} : { authToken: DATABASE_TOKEN };
const database = createLibsqlDatabase(createClient({ url: DATABASE_URL, ...token }));
await migrate(database);

const platform = createNodePlatform({ handleSignals: true });
const engine = createEngine({
  workflows: { REFUND: defineRefund(env["PAYOUT_URL"]) },
  store: createSqlStore({ database }),
  platform,
  http: { authorizeRequest: bearerAuth(env["API_TOKEN"]) },
});
const server = await serve({ engine, port: Number(PORT ?? 3000), hostname: HOST ?? "127.0.0.1" });
const worker = platform.start({ server });
console.log(`listening ${server.url}`);
await worker.stopped;
await database.close();
