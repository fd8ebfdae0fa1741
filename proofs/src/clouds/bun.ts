/** A process that stays, on Bun. */
import { scheduler, serve } from "@escapement/bun";
import { type BunSql, createBunSqlDatabase } from "@escapement/db/bun-sql";
import { createApplication } from "./application.ts";

declare const Bun: {
  readonly SQL: new (url: string, options: { readonly max: number }) => BunSql;
};

const { engine, close } = await createApplication({
  openPostgres: (url) => createBunSqlDatabase(new Bun.SQL(url, { max: 4 })),
});
const server = serve({ engine, port: 0 });
const worker = scheduler(engine, { pollMs: 100, server, handleSignals: true });
console.log("ready");
await worker.stopped;
await close();
console.log("drained");
