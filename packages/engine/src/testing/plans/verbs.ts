/** Every verb of a store, in every form that has its own statements, for the checks of plans. */
import type { Change, Commit } from "../../core/model/change.ts";
import type { Dialect, Listening } from "@escapement/db/client";
import type { ClaimedRun } from "../../ports/claim.ts";
import type { Store } from "../../ports/store.ts";
import { eventConsumed, eventReplied, newId, openWait, step } from "../store-contract/builders.ts";
import { commitOf, COMPLETE, createVerbs, parkIn } from "../store-contract/scene.ts";
import { CLAIM, newInstance, fresh } from "./instances.ts";
import { useTopics } from "./topics.ts";
import { useProgress } from "./progress.ts";
import { raiseChildren } from "./children.ts";
import { lookFromOutside } from "./callers.ts";

/** The most rows that one statement of these verbs may read: claims of 15, each with a handful of rows. */
export const ROWS_BOUND = 200;

/**
 * Calls a store that notifies as processes and callers do. Its database listens by `listenOnce`. No other runs of the workflows may
 * be due.
 */
export async function useEveryVerb(
  store: Store,
  dialect: Dialect,
  workflowName: string,
): Promise<void> {
  const verbs = createVerbs(store, workflowName);
  const start = async (count: number): Promise<readonly ClaimedRun[]> => {
    const instances = Array.from({ length: count }, () => newInstance(workflowName));
    await store.create(instances);
    return (await verbs.claim(CLAIM)).runs;
  };
  const commitAll = (runs: readonly ClaimedRun[], commit: Partial<Commit>): Promise<unknown> =>
    store.commit(
      runs.map((run) => {
        const changes = (commit.changes ?? []).map((change) => fresh(change));
        return commitOf(run, { ...commit, changes });
      }),
    );
  await new Promise<void>((resolve) =>
    store.listen?.({ workflowNames: [workflowName], onHint: resolve, onTrouble: () => {} }),
  );
  for (const count of [1, 3]) {
    const runs = await start(count);
    const changes = [step("a"), step("b")];
    const quiet = { readsEvents: false, clearsLostLeases: false };
    await commitAll(runs, { changes: [step("a")], ...quiet });
    await commitAll(runs, { changes, renewLeaseMs: 60_000 });
    const written = [step("a", { version: 1 })];
    await commitAll(runs, { changes: written, ...quiet });
    await commitAll(runs, { changes: written, readsEvents: false, clearsLostLeases: true });
    await commitAll(runs, { changes: [step("c")], readsEvents: false, clearsLostLeases: true });
    await commitAll(runs, { changes: [], readsEvents: false, clearsLostLeases: true });
    await commitAll(runs, { changes: [IN_LOOPS], ...quiet });
    await commitAll(runs, { changes: [{ kind: "stepsTrimmed", stepKeys: ["a"] }], ...quiet });
    await commitAll(runs, { changes: [openWait("w", "go", null)], outcome: parkIn(60_000) });
    const sent = await sendToAll(verbs, runs, count === 1);
    const woken = count === 1 ? sent : (await verbs.claim(CLAIM)).runs;
    for (const { run } of woken) {
      await verbs.history(run);
      await store.loadEvents({ ...run, types: ["go", "other"], afterSequence: 0 });
      await store.loadSteps({ ...run, after: 0 });
      await store.loadReply({ ...run, eventId: "callback" });
    }
    await consumeEvents(store, woken);
    await commitAll(woken, { outcome: { kind: "release" } });
    const again = (await verbs.claim({ ...CLAIM, suspects: "leave" })).runs;
    await commitAll(again, { changes: written, outcome: { kind: "pause" } });
    const resumed = (await verbs.claim({ ...CLAIM, suspects: "alone" })).runs;
    await commitAll(resumed, { changes: [step("d")], outcome: COMPLETE });
    // Again, as after a lost answer.
    await commitAll(resumed, { changes: [step("d")], outcome: COMPLETE });
  }
  for (const changes of LAST_CHANGES)
    await commitAll(await start(1), { changes, outcome: COMPLETE });
  await store.create([{ ...newInstance(workflowName), start: { inMs: 9e9 } }]);
  await raiseChildren(store, workflowName);
  await useTopics(store, workflowName);
  await useProgress(store, workflowName);
  await lookFromOutside(store, dialect, workflowName);
  const [foreign] = await start(1);
  const text = `select 1 as "one"`;
  const otherTables = { kind: "otherTables", stepKey: "f", statements: [{ text, values: [] }] };
  const writes = { changes: [step("f"), otherTables as Change], readsEvents: false };
  if (foreign !== undefined) await verbs.commit(foreign, writes);
  if (foreign !== undefined) await verbs.end(foreign, COMPLETE);
}

const IN_LOOPS: Change = {
  ...step("l/~0/m/~0/a"),
  loops: ["l", "l/~0/m"].map((stepKey) => ({ stepKey, version: -1 })),
};

/** The changes of lone runs that complete. */
const LAST_CHANGES: readonly (readonly Change[])[] = [
  [step("a", { updatedAt: 1 })],
  [step("a", { version: 1 })],
  [step("w", { type: "waitForEvent", version: 1 }), eventConsumed("none", "w")],
];

/** `Database.listen` for a database whose statements are checked: asks once whether something is due, and reports it. */
export const listenOnce = ({ isDue, onHint }: Listening): (() => void) => {
  void isDue().then(onHint);
  return () => undefined;
};

async function sendToAll(
  verbs: ReturnType<typeof createVerbs>,
  runs: readonly ClaimedRun[],
  isClaimed: boolean,
): Promise<readonly ClaimedRun[]> {
  const claimed: ClaimedRun[] = [];
  for (const { run } of runs) {
    await verbs.send(run.instanceId, "other");
    const callback = { runNumber: run.runNumber, stepKey: "l/~0/b" };
    await verbs.send(run.instanceId, "callback l/~0/b", `1`, { eventId: "callback", callback });
    const claim = isClaimed ? { token: newId(), leaseMs: 60_000 } : null;
    const sent = await verbs.send(run.instanceId, "go", `1`, { eventId: newId(), claim });
    if (sent.kind === "applied" && sent.run !== null) claimed.push(sent.run);
  }
  return claimed;
}

async function consumeEvents(store: Store, runs: readonly ClaimedRun[]): Promise<void> {
  await store.commit(
    runs.map((run) => {
      const changes = run.events
        .slice(0, 1)
        .flatMap(({ id }) => [eventConsumed(id, "w"), eventReplied(id, "{}")]);
      return commitOf(run, { changes: [step("w", { type: "waitForEvent" }), ...changes] });
    }),
  );
}
