import { bearerAuth, createEngine, createNodePlatform, defineWorkflow } from "@escapement/node";
import { sqlite } from "@escapement/node/sqlite";

const order = defineWorkflow({ name: "order" }, async (event, step) => {
  const parcel = await step.do("reserve", () => ({ id: crypto.randomUUID(), item: event.payload }));
  await step.sleep("cool down", "1 second");
  const paid = await step.waitForEvent("payment", { type: "paid", timeout: "7 days" });
  return await step.do("ship", () => ({ ...parcel, receipt: paid.payload }));
});
const engine = createEngine({
  workflows: { order },
  store: sqlite("hello.db"),
  platform: createNodePlatform({ handleSignals: true }),
  http: { authorizeRequest: bearerAuth(process.env["API_TOKEN"]) },
});
await engine.platform.serve({ port: 3000 });

const instance = await engine.workflows.order.create({ params: "a clock" });
await instance.sendEvent({ type: "paid", payload: "receipt 1" });
console.log(await instance.result());
