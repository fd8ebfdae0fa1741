/** Runs as a Lambda function: the dashboard behind the adapter's handler. It has no work, so that nothing is sent to the queue. */
import { createLambdaPlatform, handler as createHandler } from "@escapement/aws-lambda";
import { openDashboard } from "./dashboard-scene.ts";

const platform = createLambdaPlatform({
  queue: () => Promise.reject(new TypeError("there is no queue")),
});

/** What Lambda calls. */
export const handler: ReturnType<typeof createHandler> = createHandler(await openDashboard(), {
  platform,
});
