/** Naps on Deno, driven by the Deno adapter as on Deno Deploy: the minute cron, and calls of itself over HTTP. */
import { DatabaseSync } from "node:sqlite";
import { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { createDenoPlatform, type DenoRuntime, handler } from "@escapement/deno";
import { createEngine } from "@escapement/engine";
import { runNaps } from "./naps.ts";

interface Server {
  serve(
    options: { readonly port: number; readonly hostname: string; readonly onListen: () => void },
    handle: (request: Request) => Promise<Response>,
  ): { readonly addr: { readonly port: number } };
}

const { Deno } = globalThis as unknown as { readonly Deno: DenoRuntime & Server };
const signingKeys = ["a-signing-key-of-more-than-24-bytes"];

await runNaps(
  (path) => {
    const connection = new DatabaseSync(path);
    applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
    return createNodeSqliteDatabase(connection);
  },
  async (application) => {
    let answer: (request: Request) => Promise<Response> = async () => new Response();
    const where = { port: 0, hostname: "127.0.0.1", onListen: () => undefined };
    const { port } = Deno.serve(where, (request) => answer(request)).addr;
    const url = `http://127.0.0.1:${port}/api/workflows/_runner/tick`;
    const platform = createDenoPlatform({ selfCall: { url, signingKeys } });
    const engine = createEngine({ ...application, platform, http: { open: true } });
    platform.start();
    answer = handler(engine, { platform, tick: { signingKeys } });
    return answer;
  },
);
