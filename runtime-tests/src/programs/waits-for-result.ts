/** The README's first program, with an instance that waits for what nobody sends. */
import { createEngine, createNodePlatform, defineWorkflow } from "@escapement/node";
import { sqlite } from "@escapement/node/sqlite";

const order = defineWorkflow({ name: "order" }, async (_event, step) => {
  return await step.waitForEvent("payment", { type: "paid", timeout: "7 days" });
});
const engine = createEngine({
  workflows: { order },
  store: sqlite(process.env["FILE"] ?? ""),
  platform: createNodePlatform({ handleSignals: true }),
  http: { open: true },
});
const wants = process.env["WANTS"];
const { stop } = await engine.platform.serve({ port: 0 });
const instance = await engine.workflows.order.create({ id: "o-1" });
const asked = instance.result({ timeout: "1 hour" });
if (wants === "another error")
  process.once("SIGINT", () => {
    throw new RangeError("a fault of the program's own");
  });
if (wants === "a handler") process.on("uncaughtException", () => process.exit(7));
if (wants === "stop") setTimeout(() => void stop(), 300);
if (wants === "two") void engine.workflows.order.execute({ id: "o-2" });
console.log("waiting");
if (wants === "to catch") {
  const { code, message } = (await asked.catch((error: unknown) => error)) as Record<
    string,
    string
  >;
  console.log(code, message);
} else console.log(await asked);
