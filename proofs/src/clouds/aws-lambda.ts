/** A sandbox of Lambda: takes one invocation at a time from the Runtime API, as a runtime of one's own does. */
import { createLambdaPlatform, handler } from "@escapement/aws-lambda";
import { createApplication, job } from "./application.ts";
import { openPg } from "./open-pg.ts";

const service = `http://127.0.0.1:${job.port}`;
const invocations = `${service}/2018-06-01/runtime/invocation`;
const platform = createLambdaPlatform({
  queue: async (body, delaySeconds) => {
    await fetch(`${service}/queue?delay=${delaySeconds}`, { method: "POST", body });
  },
});
const { engine } = await createApplication({ openPostgres: openPg, platform });
// A few instances an invocation, so that there are many of them.
const handle = handler(engine, { platform, maxInstances: 12 });
console.log("ready");
for (;;) {
  const next = await fetch(`${invocations}/next`);
  const id = next.headers.get("lambda-runtime-aws-request-id") ?? "";
  const deadline = Number(next.headers.get("lambda-runtime-deadline-ms"));
  const context = { getRemainingTimeInMillis: () => deadline - Date.now() };
  const [kind, answer] = await handle(await next.json(), context).then(
    (result) => ["response", result ?? null] as const,
    (error: unknown) => ["error", { errorMessage: String(error) }] as const,
  );
  await fetch(`${invocations}/${id}/${kind}`, { method: "POST", body: JSON.stringify(answer) });
}
