import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createEngine } from "@escapement/engine";
import { bearerAuth } from "@escapement/engine/http";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createNodePlatform, serve } from "@escapement/node";
import Libsql from "libsql";
import { signup } from "./workflow.ts";

const connection = new Libsql(process.argv[2] ?? "hello.db");
applyRecommendedPragmas(connection);
const database = createSqliteDatabase(connection);
await migrate(database);

const platform = createNodePlatform({ handleSignals: true });
const engine = createEngine({
  workflows: { SIGNUP: signup },
  store: createSqlStore({ database }),
  platform,
  http: { authorizeRequest: bearerAuth(process.env["API_TOKEN"]) },
});
const server = await serve({ engine, port: Number(process.env["PORT"] ?? 3000) });
const { stopped } = platform.start({ server });

const instance = await engine.workflows.SIGNUP.create({ params: { email: "ada@example.com" } });
console.log(`instance ${instance.id}: ${(await instance.status()).status}`);
await instance.sendEvent({ type: "confirmed", payload: { at: new Date().toISOString() } });
await stopped;
await database.close();
