/** Runs on Vercel, as one function. */
import { createVercelPlatform, handler } from "@escapement/vercel";
import { createRunnerEngine } from "../runner-engine.ts";
import { openDatabase } from "./open-database.ts";
import { settings } from "./settings-from-env.ts";

const platform = createVercelPlatform({ environment: process.env["VERCEL_ENV"] });
const database = openDatabase(settings.database);
const runtime = `Vercel dev, Node ${process.versions.node}`;
const engine = createRunnerEngine({ settings, runtime, database, platform });
const tick = { bearerSecret: process.env["CRON_SECRET"] };
const answer = handler(engine, { platform, tick });

export const GET = answer;
export const POST = answer;
