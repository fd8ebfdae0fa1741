/** Migrated databases for one test file each. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createPostgresDatabase,
  ofToday,
  sqldAvailable,
  type SqldServer,
  startSqld,
  temporaryDirectory,
  today,
} from "@escapement-internal/test-servers";
import { migrate } from "@escapement/engine/store/sql";
import { openDatabase } from "./open-database.ts";

/** Where a database is. */
export interface TestSubject {
  readonly url: string;
  remove(): Promise<void>;
}

export interface SubjectKind {
  readonly name: string;
  readonly isAvailable: boolean;
  /** One without a table. */
  openEmpty(): Promise<TestSubject>;
  open(): Promise<TestSubject>;
}

/** A database of its own on the Postgres server of the test run. */
export const POSTGRES: SubjectKind = toKind("Postgres", true, async () => {
  const { url, drop } = await createPostgresDatabase();
  return { url, remove: drop };
});

/** A libSQL server of its own, over HTTP. */
export const SQLD: SubjectKind = toKind("sqld over HTTP", sqldAvailable(), async () => {
  const server = await startPatientSqld();
  return { url: server.url, remove: () => server.stop() };
});

/**
 * sqld 0.24.32 loses a wake-up in its queue of writers once several connections write at once: with some twenty, all of
 * them stand still for 5 s or for good (seen in its own debug log: a connection is `Notified` and stays parked); with
 * four, and clients that are killed, all four once span for good (both 2026-11). With one connection at a time neither
 * happened; requests wait at the door instead, and the work is done as soon.
 */
export const startPatientSqld = (): Promise<SqldServer> => startSqld({ maxConnections: 1 });

/**
 * The server whose day it is, for proofs that take minutes on each: the other one has the next day.
 *
 * @param turn of one proof among others: every second one begins with the other server, so that each day plays on both
 */
export const serversOfToday = (turn = 0): readonly SubjectKind[] =>
  ofToday([POSTGRES, SQLD], 1, today() + turn);

/** A file, opened by each process for itself. */
export const EMBEDDED: SubjectKind = toKind("embedded libSQL", true, () => {
  const directory = temporaryDirectory();
  const url = pathToFileURL(join(directory.path, "data.db")).href;
  const remove = (): Promise<void> => Promise.resolve(directory.remove());
  return Promise.resolve({ url, remove });
});

function toKind(
  name: string,
  isAvailable: boolean,
  openEmpty: () => Promise<TestSubject>,
): SubjectKind {
  return { name, isAvailable, openEmpty, open: async () => migrated(await openEmpty()) };
}

async function migrated(subject: TestSubject): Promise<TestSubject> {
  const database = await openDatabase(subject.url);
  await migrate(database);
  await database.close();
  return subject;
}
