/** The application on Node: an HTTP API, and a loop that stays. */
import { bearerAuth, createEngine } from "@escapement/engine";
import { createNodePlatform, serve } from "@escapement/node";
import { store } from "./store.ts";
import { signup } from "./workflow.ts";

const { API_TOKEN, HOST, PORT } = process.env;
const engine = createEngine({
  workflows: { SIGNUP: signup },
  store,
  platform: createNodePlatform({ handleSignals: true }),
  http: { authorizeRequest: bearerAuth(API_TOKEN) },
});
const server = await serve({ engine, port: PORT, hostname: HOST });
engine.platform.start({ server });
console.log(`listening ${server.url}`);
