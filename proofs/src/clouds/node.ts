/** A process that stays, on Node. */
import { createNodePlatform, serve } from "@escapement/node";
import { createApplication } from "./application.ts";
import { openPg } from "./open-pg.ts";

const platform = createNodePlatform({ pollMs: 100, handleSignals: true });
const { engine, close } = await createApplication({ openPostgres: openPg, platform });
const server = await serve({ engine, port: 0 });
const worker = platform.start({ server });
console.log("ready");
await worker.stopped;
await close();
console.log("drained");
