/** `rewind` that keeps the idempotency keys: what `retry` from a step asks for. */
import { describe, expect, test } from "vitest";
import { toChildEvent } from "../../core/child.ts";
import type { StepWrite } from "../../core/model/change.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { errorOf, eventConsumed, step } from "./builders.ts";
import { FAR, newChild, waitFor } from "./family.ts";
import { changesOf } from "./rewind-cases.ts";
import { COMPLETE, type Scene, type SceneSource } from "./scene.ts";
import { A_AND_B, keysOf, rewind } from "./rewind-scene.ts";

const KEPT = { keepsKeys: true, ifStatus: ["errored"] } as const;
const FAILED = { kind: "fail", error: errorOf("E", "no") } as const;

const invoke = (stepKey: string, order: number, more: Partial<StepWrite> = {}) =>
  step(stepKey, {
    type: "invoke",
    settledOrder: order,
    waitEventType: toChildEvent(stepKey, stepKey),
    ...more,
  });

/** The open rows by key: their status and number. */
const openOf = ({ open }: ClaimedRun): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    open.map(({ stepKey, status, attempts, result }) => [stepKey, [status, attempts, result]]),
  );

const payloads = async (at: Scene, { run }: ClaimedRun): Promise<readonly unknown[]> =>
  (await at.history(run)).events.items.map(({ type, payload }) => [type, payload]);

export function describeRetryFrom(scene: SceneSource): void {
  describe("rewind that keeps the keys", () => {
    test("S6-021 removes what a rewind does, and steps have the keys they had, also after a rewind that changed them", async () => {
      const at = scene();
      const run = await at.start();
      await at.end(run, COMPLETE, changesOf(A_AND_B));
      expect(await rewind(at, run, "b", KEPT)).toMatchObject({ kind: "statusMismatch" });
      for (const keyNumber of [1, 2]) {
        await rewind(at, run, "b");
        await at.end(await at.claimOne(), FAILED, changesOf(A_AND_B).slice(1));
        expect(await rewind(at, run, "b", KEPT)).toMatchObject({ kind: "applied", woke: true });
        const again = await at.claimOne();
        expect(again.keyNumber).toBe(keyNumber + 1);
        expect([keysOf(again.settled), again.open]).toEqual([["a"], []]);
        await at.end(again, FAILED, changesOf(A_AND_B).slice(1));
      }
      expect((await payloads(at, run)).slice(0, 2)).toEqual([
        ["rewind b", `{"removedSteps":1}`],
        ["rewind b", `{"removedSteps":1,"keepsKeys":true}`],
      ]);
    });

    test("S6-021 S6-012 a step that starts a child keeps the number of the next one, and gets the end of one that completed", async () => {
      const at = scene();
      const run = await at.start();
      for (const name of ["old", "good", "bad"])
        await at.send(run.run.instanceId, name, `"${name}"`);
      const ids = (await at.history(run.run)).events.items.map(({ id }) => id);
      const error = errorOf("ChildFailed", "no");
      const errored = { status: "errored", error, result: null } as const;
      await at.end(run, FAILED, [
        step("a"),
        ...["before", "good", "bad"].map((by, index) => eventConsumed(ids[index] ?? "", by)),
        invoke("before", 2),
        step("from", { settledOrder: 3 }),
        invoke("good", 4, { attempts: 2 }),
        invoke("bad", 5, { ...errored, attempts: 0 }),
        invoke("left", 6, { ...errored, status: "cancelled", attempts: 1 }),
        step("open", { type: "invoke", status: "waiting", attempts: 0, result: "{}" }),
      ]);
      expect(await rewind(at, run, "from", KEPT)).toMatchObject({ kind: "applied" });
      const again = await at.claimOne();
      expect(keysOf(again.settled)).toEqual(["a", "before"]);
      expect(openOf(again)).toEqual({
        good: ["pending", 2, null],
        bad: ["pending", 1, null],
        left: ["pending", 2, null],
        open: ["pending", 1, null],
      });
      expect(again.events.map(({ payload }) => payload)).toEqual([`"good"`, `"bad"`]);
      // Nothing has begun since, so the numbers stay.
      await at.end(again, FAILED, [step("from", { settledOrder: 3 })]);
      await rewind(at, run, "from", KEPT);
      const third = await at.claimOne();
      expect(openOf(third)).toEqual(openOf(again));
      await at.end(third, FAILED, [step("from", { settledOrder: 3 })]);
      await rewind(at, run, "from");
      expect((await at.claimOne()).open).toEqual([]);
    });

    test("S6-021 S6-012 a child that still lives is asked to end", async () => {
      const at = scene();
      const parent = await at.start();
      const child = newChild(at, { onParentEnd: "terminate", stepKey: "c" });
      await at.commitHeld(parent, { changes: [step("from"), waitFor(child), child] });
      await at.end(await at.claimOne(), FAR);
      const result = await rewind(at, parent, "from", { keepsKeys: true });
      expect(result).toMatchObject({ kind: "applied", woke: true });
      expect((await at.load(child.instanceId)).endRequested).toBe("terminate");
    });
  });
}
