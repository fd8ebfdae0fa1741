/** Real processes on one Postgres: they migrate at the same moment, and one is killed while it runs a hook. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createPostgresDatabase, type TestDatabase } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPgDatabase } from "@escapement/db/pg";
import { createHooksProcessor } from "./hooks/processor.ts";
import { createFragnoAdapter } from "./adapter.ts";
import { query, withMovableClock } from "./testing/databases.ts";
import { type Delivery, openMail, sendLetter } from "./testing/mail.ts";

const PROGRAM = fileURLToPath(new URL("testing/hook-process.ts", import.meta.url));
const LEASE_MS = 60_000;

/** A started process: its next line, whenever it comes. */
interface Started {
  readonly process: ChildProcess;
  readonly nextLine: () => Promise<string>;
}

let server: TestDatabase;
const started: Started[] = [];

function start(): Started {
  const child = spawn(process.execPath, ["--import", "tsx", PROGRAM, server.url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const handle: Started = {
    process: child,
    nextLine: async () => {
      const { value, done } = await lines.next();
      return done === true ? "ended" : value;
    },
  };
  started.push(handle);
  return handle;
}

beforeAll(async () => {
  server = await createPostgresDatabase();
});
afterAll(async () => {
  for (const { process: child } of started) child.kill("SIGKILL");
  await server.drop();
});

test("fragno defect 22: processes migrate at the same moment; one killed inside a hook leaves it to the next, with the same key", async () => {
  const processes = [start(), start()];
  expect(await Promise.all(processes.map(({ nextLine }) => nextLine()))).toEqual([
    "migrated",
    "migrated",
  ]);
  const database = withMovableClock(createPgDatabase({ connectionString: server.url }));
  const deliveries: Delivery[] = [];
  const mail = await openMail(createFragnoAdapter({ database }), (delivery) => {
    deliveries.push(delivery);
  });
  await sendLetter(mail, "killed");
  const line = await Promise.race(processes.map(({ nextLine }) => nextLine()));
  for (const { process: child } of processes) child.kill("SIGKILL");
  const processor = createHooksProcessor([mail], { leaseMs: LEASE_MS });
  await processor.process();
  expect(deliveries).toEqual([]);
  database.advance(LEASE_MS + 1);
  await processor.process();
  expect(deliveries.map(({ idempotencyKey }) => `running ${idempotencyKey}`)).toEqual([line]);
  expect(await query(database, `select "status", "attempts" from "fragno_hooks"`)).toEqual([
    { status: "completed", attempts: 1 },
  ]);
  await database.close();
});
