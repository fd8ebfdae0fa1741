/**
 * @module The Batch port over Amazon's RDS Data API (Aurora PostgreSQL, Serverless v2 and provisioned): a batch is one call and needs no
 * connection of ours.
 *
 * A request has at most 4 MiB, and an answer at most 10 MB in the form that is requested here
 * (https://docs.aws.amazon.com/rdsdataservice/latest/APIReference/API_ExecuteStatement.html, read 2026-11).
 */
import type { BatchOptions, Database, Statement } from "../../batch.ts";
import { postgresDialect } from "../../dialect/postgres.ts";
import { assertClientOptions } from "../../client-options.ts";
import { createDatabase } from "../create-database.ts";
import { inlineParameters } from "../inline-parameters.ts";
import { callSettings, toSetConfig } from "../postgres-settings.ts";
import { decodeAnswer } from "./answer.ts";
import { type DataApiClient, DataApiCalls, type DataApiTarget } from "./calls.ts";
import { classifyDataApiError } from "./errors.ts";

/** The database, and time limits of the client. */
interface DataApiDatabaseOptions extends DataApiTarget {
  /** How long a call may take, in milliseconds; then it throws `DATABASE_UNAVAILABLE`. null: no limit. @default 30000 */
  readonly batchTimeoutMs?: number | null;
  /**
   * How long a batch waits for a row that another transaction has locked, in milliseconds; then it is a conflict, `locked`.
   * null: as long as it takes. @default 5000
   */
  readonly lockTimeoutMs?: number | null;
  /**
   * How long a batch waits for a sleeping database to wake, in milliseconds. It repeats the call, and is not applied meanwhile.
   * Aurora takes about 15 s, and 30 s or more after a day. @default 40000
   */
  readonly resumeTimeoutMs?: number;
}

/**
 * Creates a client over `new RDSData({ maxAttempts: 1 })`; `close` does not close that.
 *
 * The first batch that finds no function `escapement_batch_1` creates it, with two more calls, once per database.
 */
export function createDataApiDatabase(
  client: DataApiClient,
  options: DataApiDatabaseOptions,
): Database {
  assertClientOptions(options);
  const { resourceArn, secretArn, database } = options;
  const calls = new DataApiCalls(client, {
    target: { resourceArn, secretArn, database },
    batchTimeoutMs: options.batchTimeoutMs === undefined ? 30_000 : options.batchTimeoutMs,
    resumeTimeoutMs: options.resumeTimeoutMs ?? 40_000,
  });
  const lockTimeoutMs = options.lockTimeoutMs === undefined ? 5000 : options.lockTimeoutMs;
  return createDatabase({
    dialect: postgresDialect,
    isSerial: false,
    async apply(statements, batchOptions) {
      const texts = [settingsOf(lockTimeoutMs, batchOptions), ...statements].map(inlineParameters);
      const records = await calls.batch(texts);
      return decodeAnswer(records).slice(1);
    },
    classify: classifyDataApiError,
    close: () => Promise.resolve(),
  });
}

const settingsOf = (lockTimeoutMs: number | null, options: BatchOptions): Statement => ({
  text: `select ${toSetConfig(callSettings(lockTimeoutMs, options), "true").join(", ")}`,
  values: [],
});
