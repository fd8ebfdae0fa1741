/** Runs on Node. */
import { serve } from "@escapement/node";
import { createRunnerEngine } from "../runner-engine.ts";
import { openDatabase } from "./open-database.ts";
import { settings } from "./settings-from-env.ts";

const database = openDatabase(settings.database);
const engine = createRunnerEngine({ settings, runtime: `Node ${process.versions.node}`, database });
const server = await serve({ engine, port: 0 });
console.log(`listening ${server.url}`);
