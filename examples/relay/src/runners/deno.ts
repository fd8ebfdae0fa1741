/** Runs on Deno: the tick route answers first, and works then. */
import { createDenoPlatform, handler } from "@escapement/deno";
import { createRunnerEngine } from "../runner-engine.ts";
import { openDatabase } from "./open-database.ts";
import { settings } from "./settings-from-env.ts";

const platform = createDenoPlatform();
const database = openDatabase(settings.database);
const runtime = `Deno ${process.versions["deno"] ?? ""}`;
const engine = createRunnerEngine({ settings, runtime, database, platform });
const answer = handler(engine, { platform, tick: { bearerSecret: settings.tickSecret } });
Deno.serve(
  {
    port: 0,
    hostname: "127.0.0.1",
    onListen: ({ port }) => console.log(`listening http://127.0.0.1:${port}`),
  },
  answer,
);
