/** The calls of callers, for the checks of plans: commands, lists, histories, rewinds and deletes. */
import type { Dialect } from "@escapement/db/client";
import type { Store } from "../../ports/store.ts";
import { errorOf, newId, step } from "../store-contract/builders.ts";
import { COMPLETE, createVerbs } from "../store-contract/scene.ts";
import { findAndCount } from "./finding.ts";
import { move } from "./move.ts";
import { purge } from "./retain.ts";
import { CLAIM, newInstance, fresh } from "./instances.ts";

/** Calls a store as callers do, for one instance from its creation to its end. */
export async function lookFromOutside(
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
    await verbs.control(instanceId, command, { ifStatus: ["errored"] });
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
  await verbs.control(instanceId, "retry", { ifStatus: ["complete"] });
  const unmet = { ifRunNumber: 7, ifStatus: ["waiting"] } as const;
  await verbs.send(instanceId, "go", null, { demand: unmet });
  await verbs.control(instanceId, "retry");
  await verbs.end(await verbs.claimOne(CLAIM), COMPLETE);
  const demand = { workflowName, instanceId, stepKey: "j/b/y", ifRunNumber: null, ifStatus: null };
  const create = newInstance(workflowName);
  await store.fork({ ...demand, create, keepsParams: true, stepRowIds: newId() });
  await verbs.end(await verbs.claimOne(CLAIM), COMPLETE);
  // The first takes away what it names.
  for (const [stepKey, keepsKeys] of [
    ["j/b/y", false],
    ["a", true],
  ] as const) {
    const ids = { taskRowId: newId(), eventRowId: newId() };
    await store.rewind({ ...demand, ...ids, stepKey, controlKey: null, keepsKeys });
    await verbs.end(await verbs.claimOne(CLAIM), COMPLETE);
  }
  await move(store, { workflowName, instanceId });
  await purge(store, { workflowName, instanceId }, created.createdAt);
  await store.findLive([{ workflowName, instanceId }]);
  for (const position of [null, after])
    await store.listChildren({ parent: { workflowName, instanceId }, after: position });
  await store.now();
}

const FAILURE = errorOf("Error", "m");

/** Nested scopes that failed with the run. */
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
