/** The application on Vercel: one function for requests and the cron, one for wakes from the queue. */
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createEngine } from "@escapement/engine";
import { bearerAuth } from "@escapement/engine/http";
import { createSqlStore } from "@escapement/engine/store/sql";
import { createVercelPlatform, handler, vercelQueue, wakeHandler } from "@escapement/vercel";
import { createClient } from "@libsql/client/web";
import { defineRefund } from "./workflow.ts";

const { env } = process;
const demand = (name: string): string => {
  const value = env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set`);
  return value;
};

const client = createClient({ url: demand("DATABASE_URL"), authToken: demand("DATABASE_TOKEN") });
const platform = createVercelPlatform({
  environment: env["VERCEL_ENV"],
  signals: process,
  // The first two are the region's and the project's; `vercel dev` sets all three to its own queue.
  queue: vercelQueue({
    topic: "refunds",
    region: env["VERCEL_REGION"],
    token: env["VERCEL_QUEUE_TOKEN"],
    baseUrl: env["VERCEL_QUEUE_BASE_URL"],
  }),
});
const engine = createEngine({
  workflows: { REFUND: defineRefund(env["PAYOUT_URL"]) },
  store: createSqlStore({ database: createLibsqlDatabase(client) }),
  platform,
  http: { authorizeRequest: bearerAuth(env["API_TOKEN"]) },
});

/** For `api/workflows.ts`. */
export const takeRequest = handler(engine, {
  platform,
  tick: { bearerSecret: env["CRON_SECRET"] },
});

/** For `api/wake.ts`, which has no public URL. */
export const takeWake = wakeHandler(engine, { platform });
