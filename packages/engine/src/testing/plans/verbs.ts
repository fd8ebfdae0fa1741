/** Every verb of a store in every form that has statements of its own: what the checks of plans look at. */
import type { Change, Commit } from "../../core/model/change.ts";
import type { Dialect, Listening } from "@escapement/db/client";
import type { Statement } from "@escapement/db";
import type { ClaimedRun } from "../../ports/claim.ts";
import type { Store } from "../../ports/store.ts";
import type { NewInstance } from "../../ports/create.ts";
import {
  errorOf,
  eventConsumed,
  eventReplied,
  newId,
  openWait,
  step,
} from "../store-contract/builders.ts";
import { commitOf, COMPLETE, createVerbs, parkIn } from "../store-contract/scene.ts";
import { compileStatements } from "../../stores/sql/statement-set.ts";
import { controlStatements } from "../../stores/sql/statements/control.ts";
import { replacing } from "../../stores/sql/statements/restart-or-create.ts";
import {
  countEventTypes,
  selectChildren,
  selectOpenSteps,
  selectState,
} from "../../stores/sql/statements/explain.ts";
import { FINDING_TEXTS, findAndCount } from "./finding.ts";
import {
  findCallback,
  findScopes,
  insertCallback,
} from "../../stores/sql/statements/send-callback.ts";
import { copySteps, insertFork, unmarkFork } from "../../stores/sql/statements/fork.ts";
import {
  controlRewound,
  deliverRewind,
  forgetRewinds,
  markRewind,
  removeSteps,
  reopenLoops,
  returnEvents,
} from "../../stores/sql/statements/rewind.ts";
import { judgeAim } from "../../stores/sql/statements/rewind-aim.ts";
import { reopenSteps } from "../../stores/sql/statements/reopen-steps.ts";
import { updateSaid, wakeByDeadline } from "../../stores/sql/statements/update.ts";
import { RETAIN_TEXTS, purge } from "./retain.ts";

/** Rows that one statement of these verbs may read at most: claims of 15, each with a handful of rows. */
export const ROWS_BOUND = 200;

const CLAIM = { limit: 15, leaseMs: 60_000 } as const;

const newInstance = (workflowName: string): NewInstance => ({
  workflowName,
  instanceId: `plan-${newId()}`,
  params: null,
  instanceRowId: newId(),
  taskRowId: newId(),
  start: null,
  claim: null,
});

/** Uses a store that notifies as processes and callers do. Its database listens by `listenOnce`. Nothing else may be due of the workflows but what is made here. */
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
    await commitAll(runs, { changes: [step("c")], readsEvents: false, clearsLostLeases: true });
    await commitAll(runs, { changes: [], readsEvents: false, clearsLostLeases: true });
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
    await commitAll(again, { outcome: { kind: "pause" } });
    const resumed = (await verbs.claim({ ...CLAIM, suspects: "alone" })).runs;
    await commitAll(resumed, { changes: [step("d")], outcome: COMPLETE });
    // Again, as when the answer was lost.
    await commitAll(resumed, { changes: [step("d")], outcome: COMPLETE });
  }
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

/** One and several waits for a topic, and its messages: from a caller and from a run, to waits that look back and ahead. */
async function useTopics(store: Store, workflowName: string): Promise<void> {
  const verbs = createVerbs(store, workflowName);
  const topic = `plan-${newId()}`;
  const retention = { maxCount: 10, maxBytes: 1_000_000, maxAgeMs: 60_000 };
  const emit = async (): Promise<void> => {
    const ids = { topicRowId: newId(), messageRowId: newId(), messageId: newId() };
    const sent = { topic, message: `{"payload":1}`, retention, isDelivering: false };
    const { due, sequence: upTo } = await store.emit({ ...sent, ...ids });
    await store.deliver({ topic, waitIds: due.map(({ id }) => id), upTo });
  };
  for (const count of [1, 3]) {
    await store.create(Array.from({ length: count }, () => newInstance(workflowName)));
    const { runs } = await verbs.claim(CLAIM);
    const wait = {
      type: "waitForTopic",
      status: "waiting",
      waitEventType: `topic ${topic}`,
    } as const;
    for (const result of ["4102444800000", "0", null]) {
      const open = runs.map(() => step(`w${String(result)}`, { ...wait, result, id: newId() }));
      const changes = (index: number): readonly Change[] => open.slice(index, index + 1);
      await store.commit(runs.map((run, index) => commitOf(run, { changes: changes(index) })));
      await store.listWaiters({ topic, limit: 10 });
      await emit();
      const ended = { status: "cancelled", settledOrder: 1 } as const;
      await store.commit(
        runs.map((run, index) =>
          commitOf(run, {
            changes: changes(index).flatMap((change) =>
              change.kind === "step"
                ? [{ ...change, version: 1, step: { ...change.step, ...ended } }]
                : [],
            ),
          }),
        ),
      );
    }
    const emitted = (): Change => ({
      kind: "messageEmitted",
      stepKey: "e",
      rowId: newId(),
      topicRowId: newId(),
      topic,
      messageId: null,
      message: "{}",
      retention,
    });
    await store.commit(
      runs.map((run) => commitOf(run, { changes: [emitted()], outcome: COMPLETE })),
    );
  }
}

/** One and several runs that add one entry and several, some of which go again; and who reads them. */
async function useProgress(store: Store, workflowName: string): Promise<void> {
  const verbs = createVerbs(store, workflowName);
  const made = (): Change => ({
    kind: "progressMade",
    stepKey: "p",
    attempt: null,
    rowId: newId(),
    value: "1",
    retention: { maxEntries: 2, maxBytes: 1_000_000 },
  });
  for (const count of [1, 3]) {
    await store.create(Array.from({ length: count }, () => newInstance(workflowName)));
    const { runs } = await verbs.claim(CLAIM);
    await store.commit(runs.map((run) => commitOf(run, { changes: [made()] })));
    const changes = (): readonly Change[] => [made(), made(), made()];
    await store.commit(runs.map((run) => commitOf(run, { changes: changes(), outcome: COMPLETE })));
    for (const { run } of runs) await store.readProgress({ ...run, after: 1, limit: 2 });
  }
}

/** One and several children: created, left, and ended. */
async function raiseChildren(store: Store, workflowName: string): Promise<void> {
  const verbs = createVerbs(store, workflowName);
  for (const count of [1, 3]) {
    await store.create([newInstance(workflowName)]);
    const [parent] = (await verbs.claim(CLAIM)).runs;
    if (parent === undefined) throw new TypeError("the parent was not claimed");
    const keys = Array.from({ length: count }, (_, index) => `c${index}`);
    const children = keys.map((stepKey) => ({
      ...newInstance(workflowName),
      kind: "childCreated" as const,
      stepKey,
      onParentEnd: "terminate" as const,
      refusal: { rowId: newId(), payload: `{}` },
    }));
    await verbs.commit(parent, { changes: children });
    const { runs } = await verbs.claim(CLAIM);
    await verbs.commit(parent, {
      changes: keys.map((stepKey) => ({ kind: "childReleased", stepKey })),
      outcome: parkIn(60_000),
    });
    await store.commit(
      runs.map((run) => {
        const event = { rowId: newId(), payload: `{}` };
        const told =
          run.parent === null ? [] : [{ kind: "parentTold" as const, parent: run.parent, event }];
        return commitOf(run, { outcome: COMPLETE, changes: told });
      }),
    );
    await verbs.control(parent.run.instanceId, "terminate");
  }
}

/** `Database.listen` of a database whose statements are looked at: asks what is due, and says so. */
export const listenOnce = ({ isDue, onHint }: Listening): (() => void) => {
  void isDue().then(onHint);
  return () => undefined;
};

const fresh = (change: Change): Change =>
  change.kind === "step" ? { ...change, step: { ...change.step, id: newId() } } : change;

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

async function lookFromOutside(
  store: Store,
  { name }: Dialect,
  workflowName: string,
): Promise<void> {
  const verbs = createVerbs(store, workflowName);
  const instance = newInstance(workflowName);
  await store.create([instance]);
  const { instanceId } = instance;
  for (const command of [
    "pause",
    "resume",
    "cancel",
    "rollback",
    "terminate",
    "restart",
    "restartWithNewKeys",
  ] as const) {
    await verbs.control(instanceId, command);
  }
  await store.restartOrCreate({
    create: { ...newInstance(workflowName), instanceId },
    taskRowId: newId(),
    ifRunNumber: null,
    ifStatus: ["queued"],
    controlKey: null,
  });
  const facts = { deadline: { inMs: 3_600_000 }, tags: ["t"], memo: "1" } as const;
  const meant = { workflowName, instanceId, ifRunNumber: null, ifStatus: ["queued"] as const };
  await store.update({ ...meant, controlKey: null, facts });
  const claimed = await verbs.claimOne({ ...CLAIM, formerRunnerId: `former-${name}` });
  await verbs.commit(claimed, { changes: [step("a")] });
  const created = await verbs.load(instanceId);
  const after = { at: created.createdAt, id: instance.instanceRowId };
  for (const status of [null, "running"] as const) {
    for (const position of [null, after]) {
      await store.listInstances({ workflowName, status, pageSize: 10, after: position });
    }
  }
  await findAndCount(store, { workflowName, instanceId }, after);
  await store.loadFacts(claimed.run);
  for (const position of [null, after]) {
    const pages = { pageSize: 10, stepsAfter: position, eventsAfter: position };
    await store.loadHistory({ ...claimed.run, ...pages });
  }
  await verbs.end(claimed, { kind: "fail", error: FAILURE }, FAILED_STEPS.map(fresh));
  await verbs.control(instanceId, "retry");
  await verbs.end(await verbs.claimOne(CLAIM), COMPLETE);
  const demand = { workflowName, instanceId, stepKey: "j/b/y", ifRunNumber: null, ifStatus: null };
  const create = newInstance(workflowName);
  await store.fork({ ...demand, create, keepsParams: true, stepRowIds: newId() });
  await verbs.end(await verbs.claimOne(CLAIM), COMPLETE);
  await store.rewind({ ...demand, controlKey: null, taskRowId: newId(), eventRowId: newId() });
  await verbs.end(await verbs.claimOne(CLAIM), COMPLETE);
  await purge(store, { workflowName, instanceId }, created.createdAt);
  await store.deleteInstance({ workflowName, instanceId });
  await store.now();
}

const FAILURE = errorOf("Error", "m");

/** Scopes in scopes that failed with the run. */
const FAILED_STEPS = [
  step("j/a/l/~0/x", { status: "errored", error: FAILURE, settledOrder: 2 }),
  step("j/a/l", {
    type: "loop",
    status: "errored",
    error: FAILURE,
    settledOrder: 3,
    result: `{"iteration":0,"at":1,"since":0,"after":0}`,
  }),
  step("j/b/y", { status: "cancelled", settledOrder: 4 }),
  step("j", { type: "join", status: "errored", error: FAILURE, settledOrder: 5 }),
];

const REWIND_TEXTS: readonly ((dialect: Dialect) => string)[] = [
  judgeAim,
  markRewind,
  returnEvents,
  removeSteps,
  reopenLoops,
  forgetRewinds,
  deliverRewind,
  insertFork,
  copySteps,
  unmarkFork,
];

/** Texts of all statements that the store has, both forms of those over rows. */
export function allTexts(dialect: Dialect): ReadonlySet<string> {
  const { control, ...others } = compileStatements(dialect, true);
  const late = controlStatements(dialect, "restartWithNewKeys", replacing(dialect));
  const texts = new Set<string>([
    reopenSteps(dialect),
    insertCallback(dialect),
    findCallback(dialect),
    findScopes(dialect),
    updateSaid(dialect),
    wakeByDeadline(dialect),
    selectState(dialect),
    selectOpenSteps(dialect),
    countEventTypes(dialect),
    selectChildren(dialect),
    ...FINDING_TEXTS.map((text) => text(dialect)),
  ]);
  for (const text of [late, controlRewound(dialect)].flatMap(Object.values))
    texts.add(String(text));
  for (const text of [...REWIND_TEXTS, ...RETAIN_TEXTS]) texts.add(text(dialect));
  const all = { ...others, ...Object.assign({}, ...Object.values(control)) } as object;
  for (const statement of [
    ...Object.values(all),
    ...Object.values(control).flatMap(Object.values),
  ]) {
    const make = statement as ((argument: unknown) => Statement) | null;
    if (make === null) continue;
    texts.add(make([{}]).text);
    texts.add(make([{}, {}]).text);
  }
  return texts;
}
