/** The application on Node: an HTTP API, and a loop that stays. */
import { bearerAuth, createEngine } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { createNodePlatform, serve } from "@escapement/node";
import { defineRefund } from "./workflow.ts";

const { API_TOKEN, DATABASE_FILE = "refunds.db", HOST, PAYOUT_URL, PORT } = process.env;
const engine = createEngine({
  workflows: { REFUND: defineRefund(PAYOUT_URL) },
  store: sqlite(DATABASE_FILE),
  platform: createNodePlatform({ handleSignals: true }),
  http: { authorizeRequest: bearerAuth(API_TOKEN) },
});
const server = await serve({ engine, port: PORT, hostname: HOST });
engine.platform.start({ server });
console.log(`listening ${server.url}`);
