/** The application on Vercel: one function for requests and the cron, one for wakes from the queue. */
import { bearerAuth, createEngine } from "@escapement/engine";
import { createVercelPlatform, fromEnv, handler, wakeHandler } from "@escapement/vercel";
import { store } from "./store.ts";
import { signup } from "./workflow.ts";

const { env } = process;
const engine = createEngine({
  workflows: { SIGNUP: signup },
  store,
  platform: createVercelPlatform({
    ...fromEnv(env, { topic: "escapement-app" }),
    signals: process,
  }),
  http: { authorizeRequest: bearerAuth(env["API_TOKEN"]) },
});

/** For `api/workflows.ts`. */
export const takeRequest = handler(engine, {
  tick: { bearerSecret: env["CRON_SECRET"] },
});

/** For `api/wake.ts`, which has no public URL. */
export const takeWake = wakeHandler(engine);
