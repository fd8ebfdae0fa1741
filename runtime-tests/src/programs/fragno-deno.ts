/** Runs in Deno: the shop of `fragno-app.ts` on the SQLite file that its argument names. */
import { DatabaseSync } from "node:sqlite";
import { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { openFragnoApp } from "./fragno-app.ts";

interface DenoServe {
  serve(
    options: {
      readonly port: number;
      readonly hostname: string;
      readonly onListen: (address: { readonly port: number }) => void;
    },
    handle: (request: Request) => Promise<Response>,
  ): unknown;
  readonly args: readonly string[];
}

const { Deno } = globalThis as unknown as { readonly Deno: DenoServe };
const connection = new DatabaseSync(Deno.args[0] ?? "");
applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
const onListen = ({ port }: { readonly port: number }): void =>
  console.log(`listening http://127.0.0.1:${port}/`);
Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen },
  openFragnoApp(createNodeSqliteDatabase(connection)),
);
