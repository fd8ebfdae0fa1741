/** `cancel` and `rollback`: what the runner learns of them, and when the run becomes due. */
import { describe, expect, test } from "vitest";
import { createErrorRecord } from "../../core/stored-error.ts";
import { errorOf, openSleep, step } from "./builders.ts";
import { commitOf, COMPLETE, parkIn, type SceneSource } from "./scene.ts";

export function describeEndRequests(scene: SceneSource): void {
  describe("end requests", () => {
    test("a run that waits is due at once, and its claim says how it is to end (S6-020, S6-010)", async () => {
      for (const command of ["cancel", "rollback"] as const) {
        const { start, end, control, claimOne } = scene();
        const run = await start();
        expect(run.endRequested).toBe(null);
        await end(run, parkIn(60_000), [openSleep("nap", { inMs: 60_000 })]);
        await control(run.run.instanceId, command);
        const claimed = await claimOne();
        expect(claimed).toMatchObject({ run: run.run, endRequested: command, lostLeases: 0 });
        await end(claimed, COMPLETE);
      }
    });

    test("the next commit of one that runs is told, whatever it carries, and alone or among others (S6-020)", async () => {
      const { start, store, control } = scene();
      const [asked, other] = [await start(), await start()];
      await control(asked.run.instanceId, "cancel");
      const commits = [
        [commitOf(asked)],
        [commitOf(asked, { readsEvents: true })],
        [commitOf(asked, { changes: [step("a")] })],
        [commitOf(asked), commitOf(other)],
        [commitOf(asked, { changes: [step("b")] }), commitOf(other, { changes: [step("c")] })],
      ];
      for (const shared of commits) {
        const results = await store.commit(shared);
        expect(results.map((one) => "endRequested" in one && one.endRequested)).toEqual(
          ["cancel", null].slice(0, shared.length),
        );
      }
    });

    test("one that parks without having heard of it is due at once; one that has is due when it says (S6-020)", async () => {
      const { start, store, control, claimOne, clock } = scene();
      const run = await start();
      await control(run.run.instanceId, "cancel");
      const parked = { outcome: parkIn(5000), changes: [] } as const;
      await store.commit([commitOf(run, parked)]);
      const again = await claimOne();
      const known = { ...parked, knownEndRequest: "cancel" } as const;
      const [result] = await store.commit([commitOf(again, known)]);
      expect(result).toMatchObject({ dueAt: (await clock.now()) + 5000, endRequested: null });
    });

    test("a rollback takes the place of a cancel, and no cancel that of a rollback; the runner hears of both (S6-010)", async () => {
      const { start, end, store, control, load, claimOne } = scene();
      const run = await start();
      const { instanceId } = run.run;
      await control(instanceId, "cancel");
      await control(instanceId, "rollback");
      await control(instanceId, "cancel");
      expect(await load(instanceId)).toMatchObject({ endRequested: "rollback", status: "running" });
      await store.commit([commitOf(run, { outcome: parkIn(5000), knownEndRequest: "cancel" })]);
      const claimed = await claimOne();
      expect(claimed.endRequested).toBe("rollback");
      await end(claimed, COMPLETE);
    });

    test("a requested pause is taken back, and a paused run goes on to its end (S6-020)", async () => {
      const { start, end, control, load, claimOne } = scene();
      const run = await start();
      const { instanceId } = run.run;
      await control(instanceId, "pause");
      await control(instanceId, "cancel");
      expect(await load(instanceId)).toMatchObject({ status: "running", pauseRequested: false });
      await control(instanceId, "pause");
      await end(run, { kind: "pause" });
      await control(instanceId, "cancel");
      expect(await claimOne()).toMatchObject({ run: run.run, endRequested: "cancel" });
    });

    test("one that was to start later is due at once, and starts when it is claimed (S6-020)", async () => {
      const { create, control, load, claimOne, clock } = scene();
      const { instanceId } = await create({ start: { inMs: 60_000 } });
      await clock.advance(5);
      await control(instanceId, "cancel");
      expect(await load(instanceId)).toMatchObject({ status: "queued", startedAt: null });
      await clock.advance(5);
      expect(await claimOne()).toMatchObject({ endRequested: "cancel" });
      expect((await load(instanceId)).startedAt).toBe(await clock.now());
    });

    test("it ends as terminated, with what it failed with or without, and keeps its history (S6-020)", async () => {
      const { start, end, load, control, claim, history } = scene();
      for (const error of [
        null,
        createErrorRecord("ROLLED_BACK", errorOf("RollbackError", "undone")),
      ]) {
        const run = await start();
        const { instanceId } = run.run;
        await control(instanceId, "cancel");
        await end(run, { kind: "terminate", error }, [step("a")]);
        const after = await load(instanceId);
        expect(after).toMatchObject({ status: "terminated", output: null, error });
        expect(after.completedAt).toBe(after.updatedAt);
        expect((await history(run.run)).steps.items).toHaveLength(1);
        expect((await claim()).runs).toEqual([]);
        expect(await control(instanceId, "cancel")).toMatchObject({ kind: "terminal" });
      }
    });

    test("a restart forgets it; a retry forgets a cancel and keeps a rollback (S6-020, S6-010)", async () => {
      const { start, end, control, load } = scene();
      const asked = async (command: "cancel" | "rollback", then: "restart" | "retry") => {
        const run = await start();
        const { instanceId } = run.run;
        await control(instanceId, command);
        await end(run, { kind: "fail", error: createErrorRecord(null, errorOf("Error", "busy")) });
        await control(instanceId, then);
        return (await load(instanceId)).endRequested;
      };
      expect(await asked("cancel", "restart")).toBe(null);
      expect(await asked("rollback", "restart")).toBe(null);
      expect(await asked("cancel", "retry")).toBe(null);
      expect(await asked("rollback", "retry")).toBe("rollback");
    });
  });
}
