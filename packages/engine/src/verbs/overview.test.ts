import { expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createHarness } from "../testing/harness.ts";

const MINUTE = 60_000;

const SIGNING = {
  signingKeys: ["a-secret-of-the-overview-of-32-characters"],
  url: "http://host.test/api/workflows",
};

const ASK = defineWorkflow({ name: "ask" }, async ({ payload }, step) => {
  if (payload === "fail") throw new RangeError("asked to fail");
  if (payload !== "wait") return "done";
  const { payload: answer } = await step.callback("answer", { timeout: "2 days" });
  return answer();
});

const SLEEP = defineWorkflow({ name: "sleep" }, async (_event, step) => {
  await step.sleep("long", "1 day");
});

function open() {
  const time = { at: 1_767_225_600_000 };
  const store = createMemoryStore({ now: () => time.at });
  const clock = { now: () => time.at, advance: (ms: number) => void (time.at += ms) };
  const options = { workflows: { ASK, SLEEP }, callbacks: SIGNING, runnerId: "pod-0" };
  return { store, ...createHarness({ ...options, store: { store, clock } }) };
}

test("S8-008 activity over time tells what was created, what ended, and what failed", async () => {
  const { engine, workflows, runUntilIdle, clock } = open();
  await workflows.ASK.create();
  await workflows.ASK.create({ params: "fail" });
  await runUntilIdle();
  await clock.advance(10 * MINUTE);
  const created = await workflows.SLEEP.create({ id: "due" });
  expect(created.id).toBe("due");
  const { bucketMs, buckets, due, ...answer } = await engine.measureActivity();
  expect(bucketMs).toBe(2 * MINUTE);
  expect(buckets).toHaveLength(30);
  const sum = (name: "created" | "complete" | "errored" | "started"): number =>
    buckets.reduce((total, bucket) => total + bucket[name], 0);
  expect([sum("created"), sum("complete"), sum("errored"), sum("started")]).toEqual([3, 1, 1, 2]);
  expect(buckets.at(-1)).toMatchObject({ created: 1, complete: 0, waitMs: null });
  expect(due).toMatchObject([{ workflowName: "sleep", count: 1, isCapped: false }]);
  expect(Object.keys(answer)).toEqual(["now"]);
});

test("S8-008 open callbacks are listed without tokens, and go on by a cursor", async () => {
  const { engine, workflows, runUntilIdle } = open();
  for (const id of ["a", "b", "c"]) await workflows.ASK.create({ id, params: "wait" });
  await workflows.SLEEP.create();
  await runUntilIdle();
  const first = await engine.listCallbacks({ pageSize: 2 });
  expect(first.callbacks.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(first.callbacks[0]).toEqual({
    workflowName: "ask",
    id: "a",
    runNumber: 1,
    status: "waiting",
    stepKey: "answer",
    name: "answer",
    createdAt: expect.any(Number) as number,
    wakeAt: (first.callbacks[0]?.createdAt ?? 0) + 2 * 24 * 60 * MINUTE,
  });
  expect(JSON.stringify(first)).not.toContain("token");
  const { cursor = "" } = first;
  const second = await engine.listCallbacks({ pageSize: 2, cursor });
  expect(second).toMatchObject({ callbacks: [{ id: "c" }], hasNextPage: false });
  expect(await engine.listCallbacks({ workflows: ["sleep"] })).toEqual({
    callbacks: [],
    hasNextPage: false,
    isIncomplete: false,
  });
});

test("S8-008 leases are told by process, and those that are over are marked", async () => {
  const { engine, store, workflows, clock } = open();
  await workflows.ASK.create({ id: "lost" });
  const ticket = { limit: 1, leaseMs: MINUTE, workflowNames: ["ask"] };
  await store.claim({ ...ticket, token: "pod-1~life~1" });
  await clock.advance(MINUTE + 1);
  for (const id of ["x", "y"]) {
    await workflows.SLEEP.create({ id });
    await store.claim({ ...ticket, workflowNames: ["sleep"], token: `id-${id}@pod-2` });
  }
  const { now, runners, leases, isCapped } = await engine.listLeases();
  expect(isCapped).toBe(false);
  expect(runners).toMatchObject([
    { runner: "pod-2", leaseCount: 2, overdueCount: 0 },
    { runner: "pod-1", leaseCount: 1, overdueCount: 1 },
  ]);
  expect(leases).toMatchObject([
    { workflowName: "ask", id: "lost", runner: "pod-1", isOverdue: true, lostCount: 0 },
    { id: "x", isOverdue: false },
    { id: "y", isOverdue: false },
  ]);
  expect(leases[0]?.until).toBeLessThanOrEqual(now);
  expect(JSON.stringify({ runners, leases })).not.toContain("life");
  expect(await engine.listLeases({ limit: 2 })).toMatchObject({ isCapped: true });
});

test("S8-008 what cannot be asked for is refused", async () => {
  const { engine } = open();
  const refused = [
    [engine.measureActivity({ bucketMs: 999 }), "INVALID_REQUEST"],
    [engine.measureActivity({ buckets: 121 }), "INVALID_REQUEST"],
    [engine.measureActivity({ buckets: 1.5 }), "INVALID_REQUEST"],
    [engine.measureActivity({ workflows: ["none"] }), "WORKFLOW_NOT_FOUND"],
    [engine.measureActivity({ days: 1 } as never), "UNKNOWN_OPTION"],
    [engine.listLeases({ limit: 1001 }), "INVALID_REQUEST"],
    [engine.listCallbacks({ pageSize: 0 }), "INVALID_REQUEST"],
    [engine.listCallbacks({ cursor: "none" }), "INVALID_CURSOR"],
  ] as const;
  for (const [call, code] of refused) await expect(call).rejects.toMatchObject({ code });
});

test("S8-008 a cursor of another list, or one that was changed, is refused", async () => {
  const { engine, workflows } = open();
  for (const id of ["a", "b"]) await workflows.ASK.create({ id });
  const { cursor = "" } = await engine.findInstances({ pageSize: 1 });
  await expect(engine.listCallbacks({ cursor })).rejects.toMatchObject({ code: "INVALID_CURSOR" });
  for (const after of [1, {}, { at: 1 }, { at: 1, id: "a", stepId: 1 }, { at: -1, id: "a" }]) {
    const forged = btoa(JSON.stringify({ kind: "callbacks of workflows", after }));
    await expect(engine.listCallbacks({ cursor: forged })).rejects.toMatchObject({
      code: "INVALID_CURSOR",
    });
  }
});
