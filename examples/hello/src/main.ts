import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createEngine } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { nodeHost, scheduler, serve } from "@escapement/node";
import Libsql from "libsql";
import { signup } from "./workflow.ts";

const connection = new Libsql(process.argv[2] ?? "hello.db");
applyRecommendedPragmas(connection);
const database = createSqliteDatabase(connection);
await migrate(database);

const engine = createEngine({
  workflows: { SIGNUP: signup },
  store: createSqlStore({ database }),
  host: nodeHost,
  http: { authorizeRequest: ({ request }) => checkToken(request) },
});
const server = await serve({ engine, port: Number(process.env["PORT"] ?? 3000) });
const { stopped } = scheduler(engine, { server, handleSignals: true });

const instance = await engine.workflows.SIGNUP.create({ params: { email: "ada@example.com" } });
console.log(`instance ${instance.id}: ${(await instance.status()).status}`);
await instance.sendEvent({ type: "confirmed", payload: { at: new Date().toISOString() } });
await stopped;
await database.close();

function checkToken(request: Request): Response | undefined {
  const token = process.env["API_TOKEN"];
  const isAllowed =
    token !== undefined && request.headers.get("authorization") === `Bearer ${token}`;
  return isAllowed ? undefined : new Response("Unauthorized", { status: 401 });
}
