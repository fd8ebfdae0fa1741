/** Runs as a Lambda function: the adapter with the contract's application on a SQLite file, wakes by what the stack sets. */
import { DatabaseSync } from "node:sqlite";
import type { FixtureOptions } from "@escapement/adapter-contract";
import {
  CONTRACT_ACCESS,
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  createClock,
  createFaults,
  withProbes,
} from "@escapement/adapter-contract/app";
import {
  createLambdaPlatform,
  handler as createHandler,
  oneTimeSchedules,
  sqsQueue,
} from "@escapement/aws-lambda";
import { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import { createEngine } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";

const read = (name: string): string => process.env[name] ?? "";
const options = JSON.parse(read("CONTRACT_OPTIONS")) as FixtureOptions & {
  /** @default the contract's */
  readonly tick?: typeof CONTRACT_TICK;
  readonly leaseMs?: number;
};
const now = createClock(options.clockOffMs);
const platform = createLambdaPlatform({
  queue: sqsQueue(read("ESCAPEMENT_QUEUE_URL")),
  schedules: oneTimeSchedules({
    groupName: read("ESCAPEMENT_SCHEDULE_GROUP"),
    queueArn: read("ESCAPEMENT_QUEUE_ARN"),
    roleArn: read("ESCAPEMENT_SCHEDULE_ROLE_ARN"),
  }),
  namespace: read("ESCAPEMENT_NAMESPACE"),
  now,
});
const connection = new DatabaseSync(read("DATABASE_FILE"));
applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
const database = createNodeSqliteDatabase(connection);
await migrate(database);
const faults = createFaults(options.database);
const { logger } = faults;
const engine = createEngine({
  workflows: CONTRACT_WORKFLOWS,
  store: faults.wrapStore(createSqlStore({ database })),
  platform,
  logger,
  host: { now },
  ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
  http: {
    ...CONTRACT_ACCESS,
    ...(options.hasTickSecrets ? { tick: options.tick ?? CONTRACT_TICK, now } : {}),
  },
});

/** What Lambda calls. */
export const handler: ReturnType<typeof createHandler> = createHandler(withProbes(engine, faults), {
  platform,
  logger,
});
