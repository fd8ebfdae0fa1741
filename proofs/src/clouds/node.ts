/** A process that stays, on Node. */
import { scheduler, serve } from "@escapement/node";
import { createApplication } from "./application.ts";
import { openPg } from "./open-pg.ts";

const { engine, close } = await createApplication({ openPostgres: openPg });
const server = await serve({ engine, port: 0 });
const worker = scheduler(engine, { pollMs: 100, server, handleSignals: true });
console.log("ready");
await worker.stopped;
await close();
console.log("drained");
