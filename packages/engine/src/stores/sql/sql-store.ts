/** The store on any database that the Batch port speaks to. */
import type { Database } from "@escapement/db";
import type { CommitResult, CreateResult, Store } from "../../ports/store.ts";
import { applyBatch, applyShared, type SqlContext } from "./apply-batch.ts";
import { claimRuns } from "./claim.ts";
import { commitRuns } from "./commit.ts";
import { controlInstance, sendEvent } from "./control.ts";
import { createInstances } from "./create.ts";
import { listInstances, loadHistory, loadInstance } from "./pages.ts";
import { compileStatements } from "./statement-set.ts";

export interface SqlStoreOptions {
  /** A client of `@escapement/db`, migrated by `migrate`. The store closes it. */
  readonly database: Database;
}

/** Creates a store on a migrated database. Every verb is one batch: one trip. */
export function createSqlStore({ database }: SqlStoreOptions): Store {
  const context: SqlContext = { database, statements: compileStatements(database.dialect) };
  return {
    ...(database.isSerial === true ? { callsAtOnce: 1 } : {}),
    create: (instances): Promise<readonly CreateResult[]> =>
      applyShared(instances, (items) => createInstances(context, items)),
    claim: (request) => claimRuns(context, request),
    commit: (commits): Promise<readonly CommitResult[]> =>
      applyShared(commits, (items) => commitRuns(context, items)),
    control: (request) => controlInstance(context, request),
    sendEvent: (request) => sendEvent(context, request),
    loadInstance: (workflowName, instanceId) => loadInstance(context, workflowName, instanceId),
    listInstances: (request) => listInstances(context, request),
    loadHistory: (request) => loadHistory(context, request),
    async now() {
      const results = await applyBatch(database, [context.statements.selectNow()]);
      return results[0]?.[0]?.["now"] as number;
    },
    close: () => database.close(),
  };
}
