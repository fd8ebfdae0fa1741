/** Vitest global setup: one PostgreSQL for all test files of a run, and a folder for what one of them makes for all. */
import { RUN_FOLDER } from "./made-once.ts";
import { startPostgres } from "./postgres.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Administrator's URL of the PostgreSQL server that all tests of the run share. */
    readonly postgresUrl: string;
  }
}

/** The part of Vitest's project that we use. */
interface Project {
  provide(key: "postgresUrl", value: string): void;
}

/**
 * Starts the shared server, or takes the one of `DATABASE_URL`, and hands its URL to the tests as
 * `ESCAPEMENT_TEST_POSTGRES_URL` and by `inject("postgresUrl")`. It is not durable (fsync off): tests that need a disk
 * that keeps its word start their own with `startPostgres()`.
 */
export async function setup(project: Project): Promise<() => Promise<void>> {
  const given = process.env["DATABASE_URL"];
  const server =
    given === undefined || given === "" ? await startPostgres({ durable: false }) : null;
  const url = server?.url ?? given ?? "";
  process.env["ESCAPEMENT_TEST_POSTGRES_URL"] = url;
  project.provide("postgresUrl", url);
  const folder = temporaryDirectory();
  process.env[RUN_FOLDER] = folder.path;
  return async () => {
    folder.remove();
    await server?.stop();
  };
}
