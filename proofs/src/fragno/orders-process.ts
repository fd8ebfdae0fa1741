/** A process that drives the orders' hooks and workflows. Its argument is a job; SIGTERM ends it. */
import { openApp } from "./open-app.ts";
import type { OrdersJob } from "./orders-job.ts";

process.on("unhandledRejection", (reason) => {
  process.stderr.write(`unhandled rejection: ${String(reason)}\n`);
  process.exit(70);
});
const { processor, database, record } = await openApp(
  JSON.parse(process.argv[2] ?? "") as OrdersJob,
);
processor.startPolling();
await record({ kind: "ready", orderId: "", key: "" });
process.once("SIGTERM", () => {
  void processor.stopPolling().then(() => database.close());
});
