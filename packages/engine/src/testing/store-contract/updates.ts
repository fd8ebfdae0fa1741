/** `update`: deadline, tags and memo of an instance, changed in one trip and on conditions. */
import { describe, expect, test } from "vitest";
import { toControlKey } from "../../core/decide/demand.ts";
import type { InstanceStatusName } from "../../core/model/status.ts";
import type { UpdateRequest, UpdateResult } from "../../ports/update.ts";
import { openSleep } from "./builders.ts";
import { COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";

const update = (
  { store, workflowName }: Scene,
  instanceId: string,
  request: Partial<UpdateRequest>,
): Promise<UpdateResult> =>
  store.update({
    workflowName,
    instanceId,
    ifRunNumber: null,
    ifStatus: null,
    controlKey: null,
    facts: {},
    ...request,
  });

export function describeUpdates(scene: SceneSource): void {
  /** Brings one into a status. */
  const into = async (own: Scene, status: InstanceStatusName): Promise<string> => {
    if (status === "queued") return (await own.create()).instanceId;
    const run = await own.start();
    const { instanceId } = run.run;
    if (status === "waiting") await own.end(run, parkIn(60_000));
    else if (status === "waitingForPause") await own.control(instanceId, "pause");
    else if (status === "paused") {
      await own.control(instanceId, "pause");
      await own.end(run, { kind: "pause" });
    } else if (status === "complete") await own.end(run, COMPLETE);
    else if (status === "terminated") await own.control(instanceId, "terminate");
    else if (status === "errored")
      await own.end(run, {
        kind: "fail",
        error: { name: "E", message: "m", code: null, details: null, stack: null, cause: null },
      });
    expect((await own.load(instanceId)).status).toBe(status);
    return instanceId;
  };
  const alive = ["queued", "running", "waiting", "waitingForPause", "paused"] as const;
  const ended = ["complete", "errored", "terminated"] as const;

  describe("updates", () => {
    test("tags and memo are those of the create, absent ones are none, and lists show them (S6-023)", async () => {
      const { create, store, workflowName } = scene();
      const plain = await create();
      expect(plain).toMatchObject({ tags: [], memo: null });
      const said = { tags: ["vip", `"quoted" äöü 😀`], memo: `{"by":"ada"}` };
      const created = await create(said);
      expect(created).toMatchObject(said);
      const { items } = await store.listInstances({
        workflowName,
        status: "queued",
        pageSize: 10,
        after: null,
      });
      expect(items.find(({ instanceId }) => instanceId === created.instanceId)).toMatchObject(said);
    });

    test("create of an id that is taken leaves what is said of it (S6-023)", async () => {
      const { create, store, newInstance, load } = scene();
      const { instanceId } = await create({ tags: ["a"] });
      const again = newInstance({ instanceId, tags: ["b"], memo: "1", deadline: { inMs: 5 } });
      expect(await store.create([again])).toMatchObject([{ kind: "exists" }]);
      expect(await load(instanceId)).toMatchObject({ tags: ["a"], memo: null, deadlineAt: null });
    });

    test.each([...alive, ...ended])(
      "tags and memo of one that is %s are changed, and nothing else (S6-023)",
      async (status) => {
        const own = scene();
        const instanceId = await into(own, status);
        await own.clock.advance(5);
        const before = await own.load(instanceId);
        const result = await update(own, instanceId, { facts: { tags: ["x"], memo: "2" } });
        const after = { ...before, tags: ["x"], memo: "2", updatedAt: await own.clock.now() };
        expect(result).toEqual({ kind: "applied", instance: after, woke: false });
        expect(await own.load(instanceId)).toEqual(after);
        await update(own, instanceId, { facts: { memo: null } });
        expect(await own.load(instanceId)).toMatchObject({ tags: ["x"], memo: null });
        await update(own, instanceId, { facts: { tags: [] } });
        expect(await own.load(instanceId)).toMatchObject({ tags: [], memo: null });
      },
    );

    test.each(alive)(
      "a deadline of one that is %s is given, moved and taken away (S6-023)",
      async (status) => {
        const own = scene();
        const instanceId = await into(own, status);
        const now = await own.clock.now();
        const deadlineOf = async (facts: UpdateRequest["facts"]) => {
          const result = await update(own, instanceId, { facts });
          return result.kind === "applied" ? result.instance.deadlineAt : result.kind;
        };
        expect(await deadlineOf({ deadline: { inMs: 5000 } })).toBe(now + 5000);
        expect(await deadlineOf({ deadline: { at: now + 7000 } })).toBe(now + 7000);
        expect(await deadlineOf({ tags: ["t"] })).toBe(now + 7000);
        expect(await deadlineOf({ deadline: null })).toBeNull();
      },
    );

    test.each(ended)("one that is %s has no deadline to give (S6-023)", async (status) => {
      const own = scene();
      const instanceId = await into(own, status);
      const result = await update(own, instanceId, {
        facts: { deadline: { inMs: 5 }, tags: ["x"] },
      });
      expect(result).toMatchObject({ kind: "terminal", instance: { status } });
      expect(await own.load(instanceId)).toMatchObject({ deadlineAt: null, tags: [] });
    });

    test("one that waits comes due at its new deadline, and no later one makes it late (S6-023)", async () => {
      const own = scene();
      const { claim, claimOne, clock } = own;
      const now = await clock.now();
      const run = await own.start();
      const { instanceId } = run.run;
      await own.end(run, parkIn(60_000), [openSleep("nap", { inMs: 60_000 })]);
      const moved = await update(own, instanceId, { facts: { deadline: { inMs: 9000 } } });
      expect(moved).toMatchObject({ kind: "applied", woke: true });
      expect(await claim()).toMatchObject({ runs: [], nextDueAt: now + 9000 });
      const later = await update(own, instanceId, { facts: { deadline: { inMs: 99_000 } } });
      expect(later).toMatchObject({ kind: "applied", woke: false });
      await clock.advance(9000);
      const early = await claimOne();
      expect(early.endRequested).toBeNull();
      await own.end(early, parkIn(60_000));
      const at = await clock.now();
      expect(await claim()).toMatchObject({ runs: [], nextDueAt: at + 60_000 });
    });

    test("one that is to start later starts when it was to, and one whose start has passed is not to start any more (S6-023)", async () => {
      const own = scene();
      const { clock, create, load, claimOne } = own;
      const { instanceId } = await create({ start: { inMs: 1000 } });
      const { startedAt } = await load(instanceId);
      await clock.advance(10);
      await update(own, instanceId, { facts: { tags: ["t"] } });
      expect(await load(instanceId)).toMatchObject({ startedAt });
      await clock.advance(2000);
      await update(own, instanceId, { facts: { tags: ["u"] } });
      expect((await load(instanceId)).startedAt).toBeNull();
      await clock.advance(5);
      await claimOne();
      expect((await load(instanceId)).startedAt).toBe(await clock.now());
    });

    test("one that is to start later starts when it was to, though its deadline was before and is moved (S6-023)", async () => {
      for (const deadline of [{ inMs: 600_000 }, null]) {
        const own = scene();
        const { clock, create, claim, claimOne, load } = own;
        const { instanceId } = await create({
          start: { inMs: 60_000 },
          deadline: { inMs: 10_000 },
        });
        expect((await update(own, instanceId, { facts: { deadline } })).kind).toBe("applied");
        await clock.advance(10_000);
        expect((await claim()).runs).toEqual([]);
        await clock.advance(50_000);
        expect((await claimOne()).run).toMatchObject({ instanceId });
        expect((await load(instanceId)).startedAt).toBe(await clock.now());
      }
    });

    test("a deadline that has passed is moved of nobody who may have been told, and of one whom nobody held (S6-023)", async () => {
      const own = scene();
      const { clock, claimOne, control, load } = own;
      const facts = { deadline: { inMs: 60_000 } };
      const run = await own.start({ deadline: { inMs: 1000 } });
      const { instanceId } = run.run;
      await clock.advance(1000);
      expect(await update(own, instanceId, { facts })).toMatchObject({ kind: "deadlinePassed" });
      await own.end(run, parkIn(60_000));
      expect(await update(own, instanceId, { facts })).toMatchObject({ kind: "deadlinePassed" });
      expect((await claimOne()).endRequested).toBe("deadline");
      expect(await update(own, instanceId, { facts })).toMatchObject({ kind: "deadlinePassed" });
      const other = await own.create({ deadline: { inMs: 1000 } });
      await control(other.instanceId, "pause");
      await clock.advance(2000);
      expect(await update(own, other.instanceId, { facts })).toMatchObject({ kind: "applied" });
      await control(other.instanceId, "resume");
      expect((await claimOne()).endRequested).toBeNull();
      expect(await load(other.instanceId)).toMatchObject({ endRequested: null });
    });

    test("the runner of one that runs hears of a nearer deadline from its commits (S6-023)", async () => {
      const own = scene();
      const run = await own.start();
      await update(own, run.run.instanceId, { facts: { deadline: { inMs: 1000 } } });
      expect((await own.commitHeld(run)).endRequested).toBeNull();
      await own.clock.advance(1000);
      expect((await own.commitHeld(run)).endRequested).toBe("deadline");
    });

    test("its conditions hold, and its key comes once (S6-023)", async () => {
      const own = scene();
      const { load, create } = own;
      const { instanceId } = await create();
      const facts = { tags: ["x"] };
      expect(await update(own, "nobody", { facts })).toEqual({ kind: "notFound" });
      const mismatch = await update(own, instanceId, { facts, ifRunNumber: 2 });
      expect(mismatch).toMatchObject({ kind: "runNumberMismatch", instance: { runNumber: 1 } });
      const other = await update(own, instanceId, { facts, ifStatus: ["paused", "waiting"] });
      expect(other).toMatchObject({ kind: "statusMismatch" });
      const none = await update(own, instanceId, { facts, ifStatus: [] });
      expect(none).toMatchObject({ kind: "statusMismatch" });
      expect(await load(instanceId)).toMatchObject({ tags: [] });
      const keyed = { controlKey: "update k", ifRunNumber: 1, ifStatus: ["queued"] } as const;
      expect(await update(own, instanceId, { facts, ...keyed })).toMatchObject({ kind: "applied" });
      await update(own, instanceId, { facts: { tags: ["y"] }, ifStatus: ["queued"] });
      const repeat = await update(own, instanceId, { facts, ...keyed });
      expect(repeat).toMatchObject({ kind: "applied", instance: { tags: ["y"] }, woke: false });
    });

    test("S6-023 the key of the last update with other details is a conflict, and changes nothing", async () => {
      const own = scene();
      const { instanceId } = await own.create();
      const keyed = (tag: string) => ({
        facts: { tags: [tag] },
        controlKey: toControlKey("update k", [tag]),
      });
      expect(await update(own, instanceId, keyed("x"))).toMatchObject({ kind: "applied" });
      const other = { kind: "keyConflict", instance: { tags: ["x"] } };
      expect(await update(own, instanceId, keyed("y"))).toMatchObject(other);
      expect(await own.load(instanceId)).toMatchObject({ tags: ["x"] });
      // A version that did not know inputs stored the key alone.
      await update(own, instanceId, { facts: { tags: ["z"] }, controlKey: "update old" });
      const later = { ...keyed("y"), controlKey: toControlKey("update old", ["y"]) };
      expect(await update(own, instanceId, later)).toMatchObject({
        kind: "applied",
        instance: { tags: ["z"] },
      });
    });

    test("a restart keeps tags and memo; restartOrCreate replaces those that it says (S6-023)", async () => {
      const own = scene();
      const { create, control, load, store, newInstance, clock } = own;
      const said = { tags: ["a"], memo: "1", deadline: { inMs: 9000 } } as const;
      const { instanceId, deadlineAt } = await create(said);
      await control(instanceId, "restart");
      expect(await load(instanceId)).toMatchObject({ tags: ["a"], memo: "1", deadlineAt });
      const again = (facts: UpdateRequest["facts"]) =>
        store.restartOrCreate({
          create: newInstance({ instanceId, ...facts }),
          taskRowId: newInstance().taskRowId,
          ifRunNumber: null,
          ifStatus: null,
          controlKey: null,
        });
      const kept = { tags: ["a"], memo: "1", deadlineAt };
      expect(await again({})).toMatchObject({ kind: "restarted", instance: kept });
      const replaced = { tags: [], memo: "2", deadlineAt: (await clock.now()) + 50 };
      expect(await again({ tags: [], memo: "2", deadline: { inMs: 50 } })).toMatchObject({
        kind: "restarted",
        instance: replaced,
      });
      await clock.advance(50);
      expect(await again({})).toMatchObject({ instance: { ...replaced, deadlineAt: null } });
      expect(await again({ memo: null, deadline: null })).toMatchObject({
        instance: { tags: [], memo: null, deadlineAt: null },
      });
    });
  });
}
