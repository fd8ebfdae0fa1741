import { bearerAuth, createEngine } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { createNodePlatform, serve } from "@escapement/node";
import { signup } from "./workflow.ts";

const engine = createEngine({
  workflows: { SIGNUP: signup },
  store: sqlite(process.argv[2] ?? "hello.db"),
  platform: createNodePlatform({ handleSignals: true }),
  http: { authorizeRequest: bearerAuth(process.env["API_TOKEN"]) },
});
const server = await serve({ engine, port: process.env["PORT"] });
engine.platform.start({ server });

const instance = await engine.workflows.SIGNUP.create({ params: { email: "ada@example.com" } });
console.log(`instance ${instance.id}: ${(await instance.status()).status}`);
await instance.sendEvent({ type: "confirmed", payload: { at: new Date().toISOString() } });
console.log(await instance.result({ timeout: "10 seconds" }));
