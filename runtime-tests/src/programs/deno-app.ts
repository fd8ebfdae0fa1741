/**
 * Runs in Deno: an application as a user would write it, on a SQLite file.
 *
 * Arguments: the file, the port, how work made due is heard of (`self-call`, `in-process`, or `not` at all), for how many
 * milliseconds the body of `slow` takes (with params: until the file of that name is there), and `cron` or `no-cron`.
 */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { createDenoPlatform, type DenoRuntime, handler } from "@escapement/deno";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { TICK_BEARER, TICK_KEYS } from "../deno-secrets.ts";

interface Server {
  serve(
    options: { readonly port: number; readonly hostname: string; readonly onListen: () => void },
    handle: (request: Request) => Promise<Response>,
  ): unknown;
  readonly args: readonly string[];
}

const { Deno } = globalThis as unknown as { readonly Deno: DenoRuntime & Server };
const [path = "", port = "0", hearing = "in-process", slowMs = "0", cron = "cron"] = Deno.args;
const url = `http://127.0.0.1:${port}`;

const ORDER = defineWorkflow(
  { name: "order", retries: { limit: 2, delay: 20, backoff: "constant" } },
  async (event: { payload: unknown }, step) => {
    const charge = await step.do("charge", ({ attempt }) => {
      if (attempt === 1) throw new Error("the card reader is busy");
      return { attempt };
    });
    await step.sleep("settle", 50);
    const approval = await step.waitForEvent<{ by: string }>("approval", { type: "approval" });
    return { charge, approvedBy: approval.payload.by, params: event.payload };
  },
);
const SLEEPER = defineWorkflow({ name: "sleeper" }, async (event: { payload: unknown }, step) => {
  await step.sleep("nap", Number(event.payload));
  return step.do("wake", () => Date.now());
});
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const SLOW = defineWorkflow({ name: "slow" }, async (event: { payload: unknown }, step) =>
  step.do("slow", async () => {
    if (typeof event.payload !== "string") await wait(Number(slowMs));
    else while (!existsSync(event.payload)) await wait(20);
    return "done";
  }),
);

const connection = new DatabaseSync(path);
applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
const database = createNodeSqliteDatabase(connection);
await migrate(database);
const tickUrl = `${url}/api/workflows/_runner/tick`;
/** Deno as it is, whose minutes may turn without a tick. */
const deno: DenoRuntime = {
  env: Deno.env,
  addSignalListener: (signal, listener) => Deno.addSignalListener(signal, listener),
  removeSignalListener: (signal, listener) => Deno.removeSignalListener(signal, listener),
  exit: (code) => Deno.exit(code),
  cron: (...given) => (cron === "cron" ? Deno.cron?.(...given) : undefined),
};
const selfCall = { url: tickUrl, signingKeys: TICK_KEYS };
const platform = createDenoPlatform({ deno, ...(hearing === "self-call" ? { selfCall } : {}) });
const engine = createEngine({
  workflows: { ORDER, SLEEPER, SLOW },
  store: createSqlStore({ database }),
  http: { open: true },
  ...(hearing === "not" ? {} : { platform }),
});
// The cron has the engine also where nothing is heard of work made due.
if (hearing === "not") platform.attach(engine);
const onStop = (): Promise<void> => database.close();
platform.start({ graceMs: 300, handleSignals: true, onStop });
Deno.serve(
  {
    port: Number(port),
    hostname: "127.0.0.1",
    onListen: () => console.log(`listening ${url}/api/workflows`),
  },
  handler(engine, { platform, tick: { bearerSecret: TICK_BEARER, signingKeys: TICK_KEYS } }),
);
