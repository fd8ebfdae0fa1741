/** The application on Node: an HTTP API, and a loop that stays. */
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createEngine } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { nodeHost, scheduler, serve } from "@escapement/node";
import { createClient } from "@libsql/client";
import { refund } from "./workflow.ts";

const { API_TOKEN, DATABASE_URL = "file:refunds.db", DATABASE_TOKEN, HOST, PORT } = process.env;
const token = DATABASE_TOKEN === undefined ? {} : { authToken: DATABASE_TOKEN };
const database = createLibsqlDatabase(createClient({ url: DATABASE_URL, ...token }));
await migrate(database);

const engine = createEngine({
  workflows: { REFUND: refund },
  store: createSqlStore({ database }),
  host: nodeHost,
  http: { authorizeRequest: ({ request }) => checkToken(request) },
});
const server = await serve({ engine, port: Number(PORT ?? 3000), hostname: HOST ?? "127.0.0.1" });
const worker = scheduler(engine, { server, handleSignals: true });
console.log(`listening ${server.url}`);
await worker.stopped;
await database.close();

function checkToken({ headers }: Request): Response | undefined {
  const isAllowed =
    API_TOKEN !== undefined && headers.get("authorization") === `Bearer ${API_TOKEN}`;
  return isAllowed ? undefined : new Response("Unauthorized", { status: 401 });
}
