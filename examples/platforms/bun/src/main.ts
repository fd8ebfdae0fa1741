/** The application on Bun: an HTTP API, a loop that stays, and Bun.cron as the net under it. */
import { createBunPlatform, serve } from "@escapement/bun";
import { bearerAuth, createEngine } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { defineRefund } from "./workflow.ts";

const { API_TOKEN, DATABASE_FILE = "refunds.db", HOST, PAYOUT_URL, PORT } = process.env;
const engine = createEngine({
  workflows: { REFUND: defineRefund(PAYOUT_URL) },
  store: sqlite(DATABASE_FILE),
  platform: createBunPlatform({ handleSignals: true }),
  http: { authorizeRequest: bearerAuth(API_TOKEN) },
});
const server = serve({ engine, port: PORT, hostname: HOST });
engine.platform.start({ server });
console.log(`listening ${server.url}`);
