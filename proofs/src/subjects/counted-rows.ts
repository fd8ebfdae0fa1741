/** A libSQL server that tells the rows which each batch read and wrote, by the protocol that Turso bills by. */
import { createClient } from "@libsql/client";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import type { Database } from "@escapement/db";
import { migrate } from "@escapement/engine/store/sql";
import {
  type VirtualClock,
  withVirtualClock,
} from "../../../packages/engine/src/testing/virtual-clock.ts";
import { startPatientSqld } from "./test-database.ts";

/** Rows of indexes are rows too. */
export interface Rows {
  readonly written: number;
  readonly read: number;
}

export interface CountedServer {
  /** What its batches read and write is counted. */
  readonly database: Database;
  /** On the same data, not counted. */
  readonly uncounted: Database;
  readonly clock: VirtualClock;
  /** Rows since the last call. */
  takeRows(): Rows;
  stop(): Promise<void>;
}

/** Starts a server with migrated tables and a clock that the test moves. */
export async function startCounted(
  options: Parameters<typeof migrate>[1] = {},
): Promise<CountedServer> {
  const server = await startPatientSqld();
  const counter = createCounter();
  const open = (fetch?: typeof globalThis.fetch): Database =>
    createLibsqlDatabase(createClient({ url: server.url, ...(fetch && { fetch }) }));
  const [plain, counting] = [open(), open(counter.fetch)];
  await migrate(plain, options);
  const { database: uncounted, clock } = await withVirtualClock(plain);
  const { database } = await withVirtualClock(counting);
  counter.take();
  return {
    database,
    uncounted,
    clock,
    takeRows: counter.take,
    async stop() {
      await Promise.all([plain.close(), counting.close()]);
      await server.stop();
    },
  };
}

/** Part of an answer of the protocol: https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_3_SPEC.md */
interface StatementResult {
  readonly rows_read: number;
  readonly rows_written: number;
}
interface Answer {
  readonly results: readonly {
    readonly response?: {
      readonly result?: { readonly step_results?: readonly (StatementResult | null)[] };
    };
  }[];
}

function createCounter(): { readonly fetch: typeof globalThis.fetch; take(): Rows } {
  let rows: Rows = { written: 0, read: 0 };
  return {
    async fetch(...request) {
      const response = await fetch(...request);
      const { results } = (await response.clone().json()) as Answer;
      for (const step of results.flatMap((one) => one.response?.result?.step_results ?? [])) {
        if (step === null) continue;
        rows = { written: rows.written + step.rows_written, read: rows.read + step.rows_read };
      }
      return response;
    },
    take() {
      const taken = rows;
      rows = { written: 0, read: 0 };
      return taken;
    },
  };
}
