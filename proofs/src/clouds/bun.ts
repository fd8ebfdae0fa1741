/** A process that stays, on Bun. */
import { createBunPlatform, serve } from "@escapement/bun";
import { createBunSqlDatabase } from "@escapement/db/bun-sql";
import { createApplication } from "./application.ts";

declare const Bun: {
  readonly SQL: new (
    url: string,
    options: { readonly max: number },
  ) => Parameters<typeof createBunSqlDatabase>[0];
};

const platform = createBunPlatform({ pollMs: 100, handleSignals: true });
const { engine, close } = await createApplication({
  openPostgres: (url) => createBunSqlDatabase(new Bun.SQL(url, { max: 4 })),
  platform,
});
const server = serve({ engine, port: 0 });
const worker = platform.start({ server });
console.log("ready");
await worker.stopped;
await close();
console.log("drained");
