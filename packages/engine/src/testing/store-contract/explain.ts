/** `loadFacts`: the facts that explain an instance. */
import { describe, expect, test } from "vitest";
import { MESSAGE_LENGTH, MOST_FACTS, type ExplainFacts } from "../../core/explain/facts.ts";
import type { RunRef } from "../../core/model/records.ts";
import { errorOf, newId, openSleep, openWait, step } from "./builders.ts";
import { LEASE_MS, parkIn, type Scene, type SceneSource } from "./scene.ts";

type Ref = Pick<RunRef, "workflowName" | "instanceId">;

async function factsOf({ store }: Scene, ref: Ref): Promise<ExplainFacts> {
  const facts = await store.loadFacts(ref);
  if (facts === null) throw new TypeError("there is no such instance");
  return facts;
}

export function describeExplain(scene: SceneSource): void {
  describe("loadFacts", () => {
    test("S8-003 nothing is known of an instance that is not there", async () => {
      const { store, workflowName } = scene();
      expect(await store.loadFacts({ workflowName, instanceId: "none" })).toBeNull();
    });

    test("S8-003 a queued run has a pending task, a claimed one a lease, a paused one no task", async () => {
      const at = scene();
      const instance = await at.create();
      const queued = await factsOf(at, instance);
      expect(queued.task).toEqual({
        kind: "run",
        status: "pending",
        runAt: queued.now,
        lockedUntil: null,
        attempts: 0,
      });
      expect(queued).toMatchObject({
        instance: { status: "queued", runNumber: 1, error: null, completedAt: null },
        openSteps: [],
        events: [],
        children: [],
      });
      const run = await at.claimOne();
      const claimed = await factsOf(at, instance);
      expect(claimed.task).toMatchObject({ status: "processing", attempts: 1 });
      expect(claimed.task?.lockedUntil).toBe(claimed.now + LEASE_MS);
      await at.control(run.run.instanceId, "pause");
      expect((await factsOf(at, instance)).instance.pauseRequested).toBe(true);
      await at.commit(run, { outcome: parkIn(1000) });
      const paused = await factsOf(at, instance);
      expect([paused.instance.status, paused.task]).toEqual(["paused", null]);
    });

    test("S8-003 open steps come oldest first, without scopes, settled steps and results; the last error is cut", async () => {
      const at = scene();
      const run = await at.start();
      const error = errorOf("RangeError", "x".repeat(MESSAGE_LENGTH + 1));
      const attemptStartedAt = (await at.clock.now()) - 100;
      await at.commitHeld(run, {
        changes: [
          step("done"),
          step("scope", { type: "join", status: "running", result: `"kept"` }),
          step("retrying", {
            status: "waiting",
            attempts: 2,
            nextRetry: { inMs: 5000 },
            error,
            result: null,
            attemptStartedAt,
            runner: "web-1",
          }),
        ],
      });
      await at.clock.advance(1);
      await at.end(run, parkIn(5000), [openWait("wait", "paid,sent", null)]);
      await at.clock.advance(1);
      const { openSteps, hasMoreSteps, now } = await factsOf(at, run.run);
      expect(openSteps).toEqual([
        {
          stepKey: "retrying",
          type: "do",
          status: "waiting",
          attempts: 2,
          maxAttempts: 6,
          nextRetryAt: now - 2 + 5000,
          wakeAt: null,
          waitEventType: null,
          attemptStartedAt,
          runner: "web-1",
          error: { name: "RangeError", message: "x".repeat(MESSAGE_LENGTH) },
        },
        {
          stepKey: "wait",
          type: "waitForEvent",
          status: "waiting",
          attempts: 1,
          maxAttempts: 6,
          nextRetryAt: null,
          wakeAt: null,
          waitEventType: "paid,sent",
          attemptStartedAt: null,
          runner: null,
          error: null,
        },
      ]);
      expect(hasMoreSteps).toBe(false);
    });

    test("S8-003 of many open steps and types of events as many are told of as fit, and that there are more", async () => {
      const at = scene();
      const run = await at.start();
      const names = Array.from({ length: MOST_FACTS + 1 }, (_, index) => `n${100 + index}`);
      await at.end(
        run,
        parkIn(5000),
        names.map((name) => openSleep(name, { inMs: 5000 })),
      );
      for (const name of names) await at.send(run.run.instanceId, name);
      await at.send(run.run.instanceId, "n120");
      const facts = await factsOf(at, run.run);
      expect(facts.openSteps).toHaveLength(MOST_FACTS);
      expect(facts.hasMoreSteps).toBe(true);
      expect(facts.events).toHaveLength(MOST_FACTS);
      expect(facts.events[0]).toEqual({ type: "n120", count: 2 });
      expect(facts.events[1]).toEqual({ type: "n100", count: 1 });
      expect(facts.hasMoreTypes).toBe(true);
    });

    const invoke = (stepKey: string, id: string) =>
      step(stepKey, {
        type: "invoke",
        status: "waiting",
        waitEventType: `child ${id} ${stepKey}`,
        result: null,
      });
    const childName = `C${newId()}`;
    const created = (stepKey: string, instanceId = `child-${stepKey}`) => ({
      kind: "childCreated" as const,
      stepKey,
      workflowName: childName,
      instanceId,
      params: null,
      onParentEnd: "abandon" as const,
      instanceRowId: newId(),
      taskRowId: newId(),
      claim: null,
      refusal: { rowId: newId(), payload: `{"status":"refused"}` },
    });

    test("S8-003 children of open steps are told of with their status, and those of other steps and runs are not", async () => {
      const at = scene();
      const run = await at.start();
      await at.commitHeld(run, {
        changes: [invoke("a", "child-a"), created("a"), invoke("b", "child-b"), created("b")],
      });
      await at.end(run, parkIn(5000), [step("b", { type: "invoke", version: 1 })]);
      expect((await factsOf(at, run.run)).children).toEqual([
        {
          workflowName: childName,
          instanceId: "child-a",
          runNumber: 1,
          status: "queued",
          stepKey: "a",
        },
      ]);
      await at.control(run.run.instanceId, "restart");
      expect((await factsOf(at, run.run)).children).toEqual([]);
    });

    test("S8-003 of a step that was run again, only the child that it waits for now is told of, and no more children than steps", async () => {
      const at = scene();
      const run = await at.start();
      const ids = Array.from({ length: 2 * MOST_FACTS }, (_, index) => `${newId()}-${index}`);
      const last = ids.at(-1) ?? "";
      const again = ids.map((id) => created("again", id));
      await at.end(run, parkIn(5000), [invoke("again", last), ...again]);
      const { children } = await factsOf(at, run.run);
      expect(children.map(({ instanceId }) => instanceId)).toEqual([last]);
    });
  });
}
