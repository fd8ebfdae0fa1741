/** The engine on Vercel, and its two functions. One for the process: Next.js bundles this file into each route. */
import { bearerAuth, createEngine } from "@escapement/engine";
import { createVercelPlatform, fromEnv, handler, wakeHandler } from "@escapement/vercel";
import { store } from "./store.ts";
import { signup } from "./workflow.ts";

function open() {
  const { env } = process;
  const engine = createEngine({
    workflows: { SIGNUP: signup },
    store,
    platform: createVercelPlatform({
      ...fromEnv(env, { topic: "escapement-app" }),
      signals: process,
    }),
    http: {
      mountRoute: "/api/workflows",
      authorizeRequest: bearerAuth(env["API_TOKEN"]),
    },
  });
  return {
    engine,
    /** Requests and the cron. */
    takeRequest: handler(engine, { tick: { bearerSecret: env["CRON_SECRET"] } }),
    /** Wakes from the queue. For `app/api/wake` only, which has no public URL. */
    takeWake: wakeHandler(engine),
  };
}

const shared = globalThis as { opened?: ReturnType<typeof open> };
export const { engine, takeRequest, takeWake } = (shared.opened ??= open());
