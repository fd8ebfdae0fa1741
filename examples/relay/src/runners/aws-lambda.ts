/** Runs on AWS Lambda: ticks come as messages of the queue. */
import { createLambdaPlatform, handler as createHandler } from "@escapement/aws-lambda";
import { createRunnerEngine } from "../runner-engine.ts";
import { openDatabase } from "./open-database.ts";
import { settings } from "./settings-from-env.ts";

// The next leg is another platform's: there is nobody to wake.
const platform = createLambdaPlatform({ queue: () => Promise.resolve() });
const database = openDatabase(settings.database);
const runtime = `Lambda, Node ${process.versions.node}`;
const engine = createRunnerEngine({ settings, runtime, database, platform });

export const handler = createHandler(engine, { platform });
