/** Runs in Bun: the shop of `fragno-app.ts` on the SQLite file that its argument names. */
import { Database } from "bun:sqlite";
import { createBunSqliteDatabase } from "@escapement/db/bun-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { openFragnoApp } from "./fragno-app.ts";

declare const Bun: {
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    readonly fetch: (request: Request) => Promise<Response>;
  }): { readonly url: URL };
};

const connection = new Database(process.argv[2] ?? "");
applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
const { url } = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: openFragnoApp(createBunSqliteDatabase(connection)),
});
console.log(`listening ${url.href}`);
