/** Deadlines: when a run becomes due at its deadline, and what its runner learns, by the database's clock. */
import { describe, expect, test } from "vitest";
import { createErrorRecord } from "../../core/stored-error.ts";
import type { StoreCommand } from "../../core/decide/lifecycle.ts";
import type { When } from "../../core/model/change.ts";
import { errorOf, newId, openSleep, step } from "./builders.ts";
import { commitOf, COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";
import { newChild } from "./family.ts";

const DEADLINE_MS = 10_000;
const deadline: When = { inMs: DEADLINE_MS };
const sleeps = () => [openSleep("nap", { inMs: 60_000 })];

/** A run that waits for longer than its deadline. */
async function parked(own: Scene, given: When = deadline) {
  const run = await own.start({ deadline: given });
  const { dueAt } = await own.end(run, parkIn(60_000), sleeps());
  return { ...run, dueAt };
}

export function describeDeadlines(scene: SceneSource): void {
  describe("deadlines", () => {
    test("a deadline is an instant of the database's, however it is given, and the instance shows it (S6-023, S4-001)", async () => {
      const { create, clock, load } = scene();
      const now = await clock.now();
      const [after, at] = [
        await create({ deadline }),
        await create({ deadline: { at: now + DEADLINE_MS } }),
      ];
      expect([after.deadlineAt, at.deadlineAt]).toEqual(Array(2).fill(now + DEADLINE_MS));
      expect((await load(after.instanceId)).deadlineAt).toBe(now + DEADLINE_MS);
      expect((await create()).deadlineAt).toBeNull();
    });

    test("a run that waits is due at its deadline, to the millisecond, and its claim says so (S6-023)", async () => {
      const own = scene();
      const { clock, claim, claimOne, load } = own;
      const now = await clock.now();
      const run = await parked(own);
      expect(run.dueAt).toBe(now + DEADLINE_MS);
      await clock.advance(DEADLINE_MS - 1);
      expect(await claim()).toMatchObject({ runs: [], nextDueAt: now + DEADLINE_MS });
      await clock.advance(1);
      expect(await claimOne()).toMatchObject({ endRequested: "deadline", run: run.run });
      expect(await load(run.run.instanceId)).toMatchObject({ endRequested: "deadline" });
    });

    test("a wait that ends before the deadline ends when it does (S6-023)", async () => {
      const { start, end, claimOne, clock } = scene();
      const run = await start({ deadline });
      const { dueAt } = await end(run, parkIn(DEADLINE_MS - 1), [step("a")]);
      expect(dueAt).toBe((await clock.now()) + DEADLINE_MS - 1);
      await clock.advance(DEADLINE_MS - 1);
      expect((await claimOne()).endRequested).toBeNull();
    });

    test("one that runs hears of it from the first commit behind it, whatever that carries, and not before (S6-023)", async () => {
      const own = scene();
      const { clock, store } = own;
      const [asked, other] = [await own.start({ deadline }), await own.start()];
      const told = async (...commits: Parameters<typeof store.commit>[0]) =>
        (await store.commit(commits)).map((one) => "endRequested" in one && one.endRequested);
      await clock.advance(DEADLINE_MS - 1);
      expect(await told(commitOf(asked))).toEqual([null]);
      await clock.advance(1);
      expect(await told(commitOf(asked))).toEqual(["deadline"]);
      expect(await told(commitOf(asked, { readsEvents: true }))).toEqual(["deadline"]);
      expect(await told(commitOf(asked, { changes: [step("a")] }))).toEqual(["deadline"]);
      expect(await told(commitOf(asked, { renewLeaseMs: 60_000 }))).toEqual(["deadline"]);
      expect(await told(commitOf(asked), commitOf(other))).toEqual(["deadline", null]);
      const [b, c] = [{ changes: [step("b")] }, { changes: [step("c")] }];
      expect(await told(commitOf(asked, b), commitOf(other, c))).toEqual(["deadline", null]);
    });

    test("one that parks behind it without having heard is due at once; one that has waits as long as it says (S6-023)", async () => {
      const own = scene();
      const { clock, end, claimOne, commitHeld } = own;
      const run = await own.start({ deadline });
      await clock.advance(DEADLINE_MS);
      const now = await clock.now();
      expect((await end(run, parkIn(60_000), sleeps())).dueAt).toBe(now);
      const again = await claimOne();
      expect(again.endRequested).toBe("deadline");
      const known = { outcome: parkIn(60_000), knownEndRequest: "deadline" } as const;
      expect((await commitHeld(again, known)).dueAt).toBe(now + 60_000);
    });

    test("one that hears of it from a commit and parks then is not due before its wait ends (S6-023)", async () => {
      const own = scene();
      const { clock, commitHeld, load } = own;
      const run = await own.start({ deadline });
      await clock.advance(DEADLINE_MS);
      expect((await commitHeld(run)).endRequested).toBe("deadline");
      const known = { outcome: parkIn(60_000), knownEndRequest: "deadline" } as const;
      expect((await commitHeld(run, known)).dueAt).toBe((await clock.now()) + 60_000);
      expect(await load(run.run.instanceId)).toMatchObject({ endRequested: "deadline" });
    });

    test.each(["cancel", "rollback"] as const)(
      "one that was asked to end by %s before is not asked again, and waits past it (S6-023)",
      async (command) => {
        const own = scene();
        const { clock, control, claimOne, commitHeld } = own;
        const run = await parked(own);
        await control(run.run.instanceId, command);
        const claimed = await claimOne();
        const known = { outcome: parkIn(60_000), knownEndRequest: command };
        expect((await commitHeld(claimed, known)).dueAt).toBe((await clock.now()) + 60_000);
        await clock.advance(60_000);
        expect((await claimOne()).endRequested).toBe(command);
      },
    );

    test("a rollback takes its place, and a cancel does not (S6-023)", async () => {
      const own = scene();
      const { clock, control, claimOne, load } = own;
      const { run } = await parked(own);
      await clock.advance(DEADLINE_MS);
      await claimOne();
      await control(run.instanceId, "cancel");
      expect((await load(run.instanceId)).endRequested).toBe("deadline");
      await control(run.instanceId, "rollback");
      expect((await load(run.instanceId)).endRequested).toBe("rollback");
    });

    test("a cancel that comes behind it changes nothing, though its runner alone has heard so far (S6-023)", async () => {
      const own = scene();
      const { clock, control, commitHeld, end, claimOne } = own;
      const run = await own.start({ deadline });
      await clock.advance(DEADLINE_MS);
      expect((await commitHeld(run)).endRequested).toBe("deadline");
      await control(run.run.instanceId, "cancel");
      expect((await commitHeld(run)).endRequested).toBe("deadline");
      await end(run, { kind: "release" });
      expect((await claimOne()).endRequested).toBe("deadline");
    });

    test("a run that completes behind it, and has not heard, is complete and was asked for nothing (S6-023)", async () => {
      const own = scene();
      const run = await own.start({ deadline });
      await own.clock.advance(DEADLINE_MS);
      await own.end(run, COMPLETE);
      const after = await own.load(run.run.instanceId);
      expect(after).toMatchObject({ status: "complete", endRequested: null });
    });

    test("one that is to start later is due at its deadline, if that is before (S6-023)", async () => {
      const own = scene();
      const { clock, claim, claimOne, create, control } = own;
      const [now, start] = [await clock.now(), { inMs: 60_000 }];
      const { instanceId } = await create({ start, deadline });
      expect(await claim()).toMatchObject({ runs: [], nextDueAt: now + DEADLINE_MS });
      await control(instanceId, "pause");
      await control(instanceId, "resume");
      expect(await claim()).toMatchObject({ runs: [], nextDueAt: now + DEADLINE_MS });
      await clock.advance(DEADLINE_MS);
      expect((await claimOne()).endRequested).toBe("deadline");
    });

    test("a deadline that has passed when the instance is created is told by the first claim (S6-023)", async () => {
      const { create, claimOne, clock } = scene();
      await create({ deadline: { at: (await clock.now()) - 5 } });
      expect((await claimOne()).endRequested).toBe("deadline");
      await create({ deadline: { inMs: 0 } });
      expect((await claimOne()).endRequested).toBe("deadline");
    });

    test("a paused run stays paused, and hears of it when it is resumed (S6-023)", async () => {
      const own = scene();
      const { clock, control, claim, claimOne, load } = own;
      const { run } = await parked(own);
      await control(run.instanceId, "pause");
      await clock.advance(DEADLINE_MS * 2);
      expect((await claim()).runs).toEqual([]);
      expect(await load(run.instanceId)).toMatchObject({ status: "paused", endRequested: null });
      await control(run.instanceId, "resume");
      expect((await claimOne()).endRequested).toBe("deadline");
    });

    const begins: readonly (readonly [StoreCommand, number])[] = [
      ["restart", 2],
      ["restartWithNewKeys", 2],
      ["retry", 1],
    ];
    test.each(begins)(
      "%s keeps a deadline that is still to come, and drops one that has passed (S6-023)",
      async (command, runNumber) => {
        const own = scene();
        const { clock, control, end, claimOne, start } = own;
        const error = createErrorRecord(null, errorOf("Error", "busy"));
        const early = await start({ deadline });
        const { deadlineAt } = await own.load(early.run.instanceId);
        await end(early, { kind: "fail", error });
        await control(early.run.instanceId, command);
        expect(await own.load(early.run.instanceId)).toMatchObject({ deadlineAt, runNumber });
        await clock.advance(DEADLINE_MS);
        const told = await claimOne();
        expect(told.endRequested).toBe("deadline");
        await end(told, { kind: "fail", error });
        await control(early.run.instanceId, command);
        const after = { deadlineAt: null, endRequested: null };
        expect(await own.load(early.run.instanceId)).toMatchObject(after);
        expect((await claimOne()).endRequested).toBeNull();
      },
    );

    test("a child has the deadline, tags and memo that its step gives it (S6-023, S4-001)", async () => {
      const own = scene();
      const { clock, claimOne, commitHeld, load } = own;
      const run = await own.start();
      const child = newChild(own, {
        stepKey: "ship",
        deadline,
        tags: ["a", "b"],
        memo: `{"by":1}`,
      });
      const now = await clock.now();
      const late = {
        ...child,
        instanceId: `d-${newId()}`,
        stepKey: "late",
        instanceRowId: newId(),
        taskRowId: newId(),
      };
      const changes = [step("ship"), step("late"), child, { ...late, deadline: { at: now - 1 } }];
      await commitHeld(run, { outcome: parkIn(60_000), changes });
      expect(await load(child.instanceId)).toMatchObject({
        deadlineAt: now + DEADLINE_MS,
        tags: ["a", "b"],
        memo: `{"by":1}`,
      });
      const { runs } = await own.claim();
      const asked = Object.fromEntries(runs.map((one) => [one.run.instanceId, one.endRequested]));
      expect(asked).toEqual({ [child.instanceId]: null, [late.instanceId]: "deadline" });
      expect(claimOne).toBeDefined();
    });

    test("a retry opens again what was told of the deadline, and all that came of it (S6-023)", async () => {
      const own = scene();
      const { clock, control, claimOne, end, start } = own;
      const told = createErrorRecord(
        "CANCELLED",
        errorOf("CancelledError", "the run's deadline has passed"),
      );
      const error = createErrorRecord(
        "DEADLINE_EXCEEDED",
        errorOf("DeadlineExceeded", "the run's deadline has passed"),
      );
      const run = await start({ deadline });
      const failed = { status: "errored", error: told } as const;
      await end(run, { kind: "fail", error }, [
        step("done", { status: "completed", settledOrder: 1 }),
        step("caught", {
          status: "errored",
          settledOrder: 2,
          error: createErrorRecord(null, errorOf("Error", "earlier")),
        }),
        step("nap", { ...failed, type: "sleep", settledOrder: 3, wake: { inMs: 60_000 } }),
        step("work", { ...failed, settledOrder: 4 }),
      ]);
      await clock.advance(DEADLINE_MS);
      await control(run.run.instanceId, "retry");
      const again = await claimOne();
      expect(again.settled.map(({ stepKey }) => stepKey)).toEqual(["done", "caught"]);
      expect(again.open.map(({ stepKey }) => stepKey).toSorted()).toEqual(["nap", "work"]);
    });
  });
}
