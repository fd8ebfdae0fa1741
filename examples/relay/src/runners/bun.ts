/** Runs on Bun, with its own Postgres client. */
import { SQL } from "bun";
import { serve } from "@escapement/bun";
import { createBunSqlDatabase } from "@escapement/db/bun-sql";
import { createRunnerEngine } from "../runner-engine.ts";
import { openHttpDatabase } from "./open-http-database.ts";
import { settings } from "./settings-from-env.ts";

const { kind, url } = settings.database;
const database =
  kind === "postgres"
    ? createBunSqlDatabase(new SQL(url, { max: 2 }))
    : openHttpDatabase(settings.database);
const runtime = `Bun ${process.versions["bun"] ?? ""}`;
const server = serve({ engine: createRunnerEngine({ settings, runtime, database }), port: 0 });
console.log(`listening ${server.url}`);
