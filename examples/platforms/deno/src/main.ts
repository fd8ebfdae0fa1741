/** The application on Deno and Deno Deploy: an HTTP API with a tick route, and a minute cron. */
import { createDenoPlatform, handler } from "@escapement/deno";
import { bearerAuth, createEngine } from "@escapement/engine";
import { libsql } from "@escapement/engine/libsql";
import { defineRefund } from "./workflow.ts";

// On Deno Deploy only a request keeps an instance alive, so what is due at once is called for; elsewhere the process does it.
const signingKeys = [Deno.env.get("TICK_SIGNING_KEY") ?? ""];
const engine = createEngine({
  workflows: { REFUND: defineRefund(Deno.env.get("PAYOUT_URL")) },
  store: libsql(Deno.env.get("DATABASE_URL") ?? "http://127.0.0.1:8080", {
    authToken: Deno.env.get("DATABASE_TOKEN"),
  }),
  platform: createDenoPlatform({ selfCall: { url: Deno.env.get("TICK_URL"), signingKeys } }),
  http: { authorizeRequest: bearerAuth(Deno.env.get("API_TOKEN")) },
});

// Both at the top level, the cron first: Deno Deploy finds crons by evaluating the module.
engine.platform.start({ handleSignals: true });
Deno.serve(handler(engine, { tick: { signingKeys } }));
