/** The application on Vercel: one function for requests and the cron, one for wakes from the queue. */
import { bearerAuth, createEngine } from "@escapement/engine";
import { libsql } from "@escapement/engine/libsql";
import { createVercelPlatform, fromEnv, handler, wakeHandler } from "@escapement/vercel";
import { defineRefund } from "./workflow.ts";

const { env } = process;
const engine = createEngine({
  workflows: { REFUND: defineRefund(env["PAYOUT_URL"]) },
  store: libsql(env["DATABASE_URL"], { authToken: env["DATABASE_TOKEN"] }),
  platform: createVercelPlatform({ ...fromEnv(env, { topic: "refunds" }), signals: process }),
  http: { authorizeRequest: bearerAuth(env["API_TOKEN"]) },
});

/** For `api/workflows.ts`. */
export const takeRequest = handler(engine, {
  tick: { bearerSecret: env["CRON_SECRET"] },
});

/** For `api/wake.ts`, which has no public URL. */
export const takeWake = wakeHandler(engine);
