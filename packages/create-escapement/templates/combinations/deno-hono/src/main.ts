/** The application on Deno and Hono: your routes, the workflows' API with a tick route, and a minute cron. */
import { createDenoPlatform, handler } from "@escapement/deno";
import { bearerAuth, createEngine } from "@escapement/engine";
import { Hono } from "hono";
import { store } from "./store.ts";
import { signup } from "./workflow.ts";

// On Deno Deploy only a request keeps an instance alive, so what is due at once is called for; elsewhere the process does it.
const signingKeys = [Deno.env.get("TICK_SIGNING_KEY") ?? ""];
const engine = createEngine({
  workflows: { SIGNUP: signup },
  store,
  platform: createDenoPlatform({ selfCall: { url: Deno.env.get("TICK_URL"), signingKeys } }),
  http: { mountRoute: "/api/workflows", authorizeRequest: bearerAuth(Deno.env.get("API_TOKEN")) },
});

const app = new Hono();
const workflows = handler(engine, { tick: { signingKeys } });
app.all("/api/workflows/*", (context) => workflows(context.req.raw));
app.get("/", (context) => context.text("The API of the workflows is at /api/workflows.\n"));

// Both at the top level, the cron first: Deno Deploy finds crons by evaluating the module.
engine.platform.start({ handleSignals: true });
Deno.serve(app.fetch);
