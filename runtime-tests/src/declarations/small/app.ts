/** The smallest application: no file of it imports where a store's own type comes from. */
import { createEngine, defineWorkflow } from "@escapement/engine";
import { postgres } from "@escapement/engine/postgres";
import { createNodePlatform, serve } from "@escapement/node";

export const hello = defineWorkflow({ name: "hello" }, async (_event, step) => {
  await step.sleep("a while", "1 hour");
});
export const store = postgres("postgres://127.0.0.1/orders");
export const platform = createNodePlatform();
export const engine = createEngine({ workflows: { HELLO: hello }, store, platform });
export const start = async () => platform.start({ server: await serve({ engine }) });
