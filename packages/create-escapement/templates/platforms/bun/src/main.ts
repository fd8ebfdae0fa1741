/** The application on Bun: an HTTP API, a loop that stays, and Bun.cron as the net under it. */
import { createBunPlatform, serve } from "@escapement/bun";
import { bearerAuth, createEngine } from "@escapement/engine";
import { store } from "./store.ts";
import { signup } from "./workflow.ts";

const { API_TOKEN, HOST, PORT } = process.env;
const engine = createEngine({
  workflows: { SIGNUP: signup },
  store,
  platform: createBunPlatform({ handleSignals: true }),
  http: { authorizeRequest: bearerAuth(API_TOKEN) },
});
const server = serve({ engine, port: PORT, hostname: HOST });
engine.platform.start({ server });
console.log(`listening ${server.url}`);
