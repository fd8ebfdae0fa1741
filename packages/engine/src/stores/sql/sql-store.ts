/** The store on any database with a Batch port. */
import type { Database } from "@escapement/db";
import type { Statement } from "@escapement/db/client";
import { late } from "../../core/late.ts";
import type { Commit } from "../../core/model/change.ts";
import type { Store } from "../../ports/store.ts";
import type { CommitResult } from "../../ports/commit.ts";
import type { CreateResult } from "../../ports/create.ts";
import { applyBatch, applyShared, type SqlContext } from "./apply-batch.ts";
import { claimRuns, isAnyDue } from "./claim.ts";
import { commitRuns } from "./commit.ts";
import { compileRunStatements, toStoreDialect } from "./run-statements.ts";
import { shareReads } from "./shared-reads.ts";
import { HINT_CHANNEL } from "./statements/hint.ts";
import { within } from "./within.ts";

const reading = late(() => import("./reads.ts"));
const calling = late(() => import("./for-callers.ts"));
const committingElsewhere = late(() => import("./commit-other-tables.ts"));
const explaining = late(() => import("./explain.ts"));
const finding = late(() => import("./find-instances.ts"));
const counting = late(() => import("./count-instances.ts"));
const overview = late(() => import("./overview.ts"));
const pages = late(() => import("./pages.ts"));
const progress = late(() => import("./progress.ts"));
const retaining = late(() => import("./retain.ts"));
const restarting = late(() => import("./restart-or-create.ts"));
const rewinding = late(() => import("./rewind.ts"));
const updating = late(() => import("./update.ts"));
const deleting = late(() => import("./delete.ts"));
const moving = late(() => import("./move.ts"));
const topics = late(() => import("./topics.ts"));

/** Options of the verbs. */
export interface MigratedStoreOptions {
  /** A migrated database, or one that is migrated before its first batch. The store closes it. */
  readonly database: Database;
  /**
   * Statements that are added to a trip of commits, after the commits' writes and before the tasks of ended runs are removed.
   * They have no fence, but can see which leases are held (`leasedRows`). @default none
   */
  readonly alongside?: (commits: readonly Commit[]) => readonly Statement[];
  /** See `SqlStoreOptions`. @default false */
  readonly notify?: boolean;
}

/** Creates the verbs. Each is one batch and one trip. */
export function createMigratedStore({
  database,
  alongside = () => [],
  notify = false,
}: MigratedStoreOptions): Store {
  const dialect = toStoreDialect(database.dialect, notify);
  const statements = compileRunStatements(dialect);
  const writesInWith = dialect.name === "postgres";
  const context: SqlContext = { database, statements, dialect, writesInWith, alongside };
  return {
    ...toVerbs(context),
    ...toReads({ ...context, database: shareReads(database) }),
    ...toListening(context, notify),
    within: (transaction) => toVerbsWithin(within(context, transaction)),
  };
}

/** Listening. A SQLite file needs no notifications, because it shows that others have written. */
function toListening(context: SqlContext, notify: boolean): Pick<Store, "listen"> {
  const { database } = context;
  if (database.listen === undefined || !(notify || database.dialect.notify === null)) return {};
  const channel = async (): Promise<string> => {
    const { found } = await applyBatch(database, { found: HINT_CHANNEL });
    return found[0]?.channel ?? "";
  };
  return {
    listen: ({ workflowNames, ...hints }) => {
      const isDue = (): Promise<boolean> => isAnyDue(context, workflowNames);
      return database.listen?.({ channel, isDue, ...hints }) ?? (() => undefined);
    },
  };
}

/** The verbs inside a transaction. All instances of one call are created, or none: an error leaves nothing in the transaction. */
const toVerbsWithin = (context: SqlContext): Store => ({
  ...toVerbs(context),
  create: async (instances) => (await calling()).createInstances(context, instances),
});

/** The reads that waiting callers repeat. */
const toReads = (
  context: SqlContext,
): Pick<Store, "loadReply" | "readProgress" | "loadInstance"> => ({
  loadReply: async (request) => (await reading()).loadReply(context, request),
  readProgress: async (request) => (await progress()).readProgress(context, request),
  loadInstance: async (workflowName, instanceId) =>
    (await reading()).loadInstance(context, workflowName, instanceId),
});

function toVerbs(context: SqlContext): Store {
  const { database, statements } = context;
  return {
    ...toReads(context),
    ...(database.isSerial === true ? { callsAtOnce: 1 } : {}),
    isLocal: database.isLocal === true,
    create: (instances): Promise<readonly CreateResult[]> =>
      applyShared(instances, async (items) => (await calling()).createInstances(context, items)),
    claim: (request) => claimRuns(context, request),
    commit: (commits) => commitAll(context, commits),
    control: async (request) => (await calling()).controlInstance(context, request),
    restartOrCreate: async (request) => (await restarting()).restartOrCreate(context, request),
    rewind: async (request) => (await rewinding()).rewindInstance(context, request),
    fork: async (request) => (await rewinding()).forkInstance(context, request),
    update: async (request) => (await updating()).updateInstance(context, request),
    findLive: async (instances) => (await deleting()).findLive(context, instances),
    listChildren: async (request) => (await deleting()).listChildren(context, request),
    moving: async () => (await moving()).openMoving(context),
    findExpired: async (walks) => (await retaining()).findExpiredInstances(context, walks),
    deleteExpired: async (request) => (await retaining()).deleteExpiredInstances(context, request),
    emptyExpired: async (request) => (await retaining()).emptyExpiredInstance(context, request),
    sendEvent: async (request) => (await calling()).sendEvent(context, request),
    loadSteps: async (request) => (await reading()).loadSteps(context, request),
    loadEvents: async (request) => (await reading()).loadEvents(context, request),
    emit: async (request) => (await topics()).emit(context, request),
    deliver: async (request) => (await topics()).deliver(context, request),
    listWaiters: async (request) => (await topics()).listWaiters(context, request),
    loadFacts: async (ref) => (await explaining()).loadFacts(context, ref),
    findInstances: async (request) => (await finding()).findInstances(context, request),
    countInstances: async (request) => (await counting()).countInstances(context, request),
    measureActivity: async (request) => (await overview()).measureActivity(context, request),
    listLeases: async (request) => (await overview()).listLeases(context, request),
    listCallbacks: async (request) => (await overview()).listCallbacks(context, request),
    listInstances: async (request) => (await pages()).listInstances(context, request),
    loadHistory: async (request) => (await pages()).loadHistory(context, request),
    async now() {
      const {
        clock: [clock],
      } = await applyBatch(database, { clock: statements.selectNow() });
      return Number(clock?.now);
    },
    close: () => database.close(),
  };
}

const hasForeignWrites = ({ changes }: Commit): boolean =>
  changes.some(({ kind }) => kind === "otherTables");

/** Commits in one shared trip; commits with writes to other tables have trips of their own. */
async function commitAll(
  context: SqlContext,
  commits: readonly Commit[],
): Promise<readonly CommitResult[]> {
  const commitShared = (items: readonly Commit[]): Promise<readonly CommitResult[]> =>
    applyShared(items, (some) => commitRuns(context, some));
  const alone = commits.filter(hasForeignWrites);
  if (alone.length === 0) return commitShared(commits);
  const { commitWithForeignWrites } = await committingElsewhere();
  const shared = commits.filter((commit) => !alone.includes(commit));
  const [ofShared, ofAlone] = await Promise.all([
    commitShared(shared),
    Promise.all(alone.map((commit) => commitWithForeignWrites(context, commit))),
  ]);
  const results = new Map<Commit, CommitResult | undefined>([
    ...shared.map((commit, index) => [commit, ofShared[index]] as const),
    ...alone.map((commit, index) => [commit, ofAlone[index]] as const),
  ]);
  return commits.map((commit) => results.get(commit) ?? { kind: "conflict" });
}
