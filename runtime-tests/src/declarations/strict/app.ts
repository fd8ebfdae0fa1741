/** What an application on Node exports, from `@escapement/node` alone. */
import {
  bearerAuth,
  createEngine,
  createNodePlatform,
  defineWorkflow,
  handler,
  serve,
} from "@escapement/node";
import { sqlite } from "@escapement/node/sqlite";
import { postgres } from "@escapement/node/postgres";

export const order = defineWorkflow({ name: "order" }, async (event, step) => {
  const parcel = await step.do("reserve", () => ({ id: "1", item: event.payload }));
  return await step.do("ship", () => ({ ...parcel }));
});
export const store = sqlite("hello.db");
export const other = postgres("x");
export const platform = createNodePlatform({ handleSignals: true });
export const engine = createEngine({
  workflows: { order },
  store,
  platform,
  http: { authorizeRequest: bearerAuth("x") },
});
export const worker = await engine.platform.serve({ port: 3000 });
export const started = engine.platform.start();
export const server = await serve({ engine, port: 0 });
export const listener = handler(engine);
export const instance = await engine.workflows.order.create({ params: "a clock" });
export const result = await instance.result();
export const status = await instance.status();
export const described = await instance.describe();
export const explained = await instance.explain();
export const loop = engine.startLoop();
export const next = () => engine.nextWake();
export const tick = () => engine.tick();
export const found = () => engine.findInstances({});
export const within = () => engine.with;
export const close = () => engine.close();
