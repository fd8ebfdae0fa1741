/** A process that migrates, then runs the hooks of `mail` and never finishes one: `hook-process.ts <Postgres URL>`. */
import { createPgDatabase } from "@escapement/db/pg";
import { createHooksProcessor } from "../hooks/processor.ts";
import { createFragnoAdapter } from "../adapter.ts";
import { openMail } from "./mail.ts";

const [, , connectionString = ""] = process.argv;
const adapter = createFragnoAdapter({ database: createPgDatabase({ connectionString }) });
const mail = await openMail(adapter, ({ idempotencyKey }) => {
  process.stdout.write(`running ${idempotencyKey}\n`);
  return new Promise(() => {
    setInterval(() => undefined, 60_000);
  });
});
process.stdout.write("migrated\n");
createHooksProcessor([mail], { pollIntervalMs: 10, leaseMs: 60_000 }).startPolling();
