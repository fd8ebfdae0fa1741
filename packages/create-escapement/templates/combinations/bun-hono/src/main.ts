/** The application on Bun and Hono: your routes, the workflows' API, a loop that stays, and Bun.cron as the net under it. */
import { createBunPlatform, serve } from "@escapement/bun";
import { bearerAuth, createEngine } from "@escapement/engine";
import { Hono } from "hono";
import { store } from "./store.ts";
import { signup } from "./workflow.ts";

const { API_TOKEN, HOST, PORT } = process.env;
const engine = createEngine({
  workflows: { SIGNUP: signup },
  store,
  platform: createBunPlatform({ handleSignals: true }),
  http: { mountRoute: "/api/workflows", authorizeRequest: bearerAuth(API_TOKEN) },
});

const app = new Hono();
app.all("/api/workflows/*", (context) => engine.fetch(context.req.raw));
app.get("/", (context) => context.text("The API of the workflows is at /api/workflows.\n"));

const answer = async (request: Request): Promise<Response> => app.fetch(request);
const server = serve({ engine: { fetch: answer }, port: PORT, hostname: HOST });
engine.platform.start({ server });
console.log(`listening ${server.url}`);
