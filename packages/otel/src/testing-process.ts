/**
 * A process that runs an instance until it kills itself in the middle of a step, like a crash. Its arguments are a database, a file for
 * spans, and the step to die in.
 */
import { appendFileSync } from "node:fs";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { openTelemetry } from "./open-telemetry.ts";
import { registerSdk, toProcessor } from "./testing-spans.ts";

const [database = "", file = "", fatal = ""] = process.argv.slice(2);

registerSdk(toProcessor((span) => appendFileSync(file, `${JSON.stringify(span)}\n`)));

const order = defineWorkflow({ name: "order" }, async (_event, step) => {
  for (const name of ["reserve", "charge", "ship", "mail"])
    await step.do(name, () => {
      if (name === fatal) process.kill(process.pid, "SIGKILL");
      return name;
    });
});
const engine = createEngine({
  workflows: { ORDER: order },
  store: sqlite(database),
  // The next process takes over at once.
  runnerId: "host-1",
  telemetry: openTelemetry(),
  http: { authorizeRequest: () => undefined },
});
if (fatal === "charge") await create();
while ((await (await engine.workflows.ORDER.get("o-1")).status()).status !== "complete")
  await engine.tick();
await engine.close();

/** Over HTTP, from a traced caller. */
async function create(): Promise<void> {
  const answer = await engine.fetch(
    new Request("http://localhost/api/workflows/workflows/order/instances", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      },
      body: JSON.stringify({ id: "o-1" }),
    }),
  );
  if (!answer.ok) process.exitCode = 1;
}
