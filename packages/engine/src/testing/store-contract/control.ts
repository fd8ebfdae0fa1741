/** `control`: the lifecycle table, row by row. */
import { describe, expect, test } from "vitest";
import { LIFECYCLE, type StoreCommand, refusalOf } from "../../core/decide/lifecycle.ts";
import { INSTANCE_STATUSES, type InstanceStatusName } from "../../core/model/status.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { errorOf, openSleep, step } from "./builders.ts";
import { COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";

const ROWS: Readonly<Record<StoreCommand, string>> = {
  pause: "S0-116, S0-117, S0-118, S0-119",
  resume: "S0-121, S5-028",
  cancel: "S6-020",
  terminate: "S0-122",
  rollback: "S6-010",
  restart: "S0-071, S0-123",
  restartWithNewKeys: "S6-021",
  retry: "S6-021",
};

/** Brings a new instance into each status. */
const BRING: Readonly<
  Record<InstanceStatusName, (scene: Scene, run: () => Promise<ClaimedRun>) => Promise<unknown>>
> = {
  queued: async () => {},
  running: (_scene, claimed) => claimed(),
  waiting: async ({ end }, claimed) =>
    end(await claimed(), parkIn(60_000), [openSleep("nap", { inMs: 60_000 })]),
  waitingForPause: async ({ control }, claimed) =>
    control((await claimed()).run.instanceId, "pause"),
  paused: async ({ control, end }, claimed) => {
    const run = await claimed();
    await control(run.run.instanceId, "pause");
    await end(run, { kind: "pause" });
  },
  complete: async ({ end }, claimed) => end(await claimed(), COMPLETE),
  errored: async ({ end }, claimed) =>
    end(await claimed(), { kind: "fail", error: errorOf("E", "m") }),
  terminated: async ({ control }, claimed) =>
    control((await claimed()).run.instanceId, "terminate"),
};

async function instanceIn(scene: Scene, status: InstanceStatusName): Promise<string> {
  const { instanceId } = await scene.create();
  await BRING[status](scene, () => scene.claimOne());
  expect((await scene.load(instanceId)).status).toBe(status);
  return instanceId;
}

export function describeControl(scene: SceneSource): void {
  describe("control", () => {
    for (const command of Object.keys(LIFECYCLE) as StoreCommand[]) {
      for (const status of INSTANCE_STATUSES) describeRow(scene, command, status);
    }

    test.each(Object.keys(LIFECYCLE) as StoreCommand[])(
      "%s of an unknown instance is notFound",
      async (command) => {
        expect(await scene().control("nobody", command)).toEqual({ kind: "notFound" });
      },
    );

    test("terminate stamps the end; restart clears times, output and error and keeps params (S0-123)", async () => {
      const { create, control, clock, load } = scene();
      const { instanceId, createdAt } = await create({ params: `{"a":1}` });
      await clock.advance(10);
      await control(instanceId, "terminate");
      expect(await load(instanceId)).toMatchObject({
        status: "terminated",
        completedAt: await clock.now(),
      });
      await clock.advance(10);
      await control(instanceId, "restart");
      expect(await load(instanceId)).toEqual({
        ...(await load(instanceId)),
        status: "queued",
        runNumber: 2,
        params: `{"a":1}`,
        output: null,
        error: null,
        startedAt: null,
        completedAt: null,
        createdAt,
        updatedAt: await clock.now(),
      });
    });

    test("a restarted run starts with no steps, and the earlier run's are kept (S0-071, S0-123)", async () => {
      const { start, end, control, claimOne, history } = scene();
      const first = await start();
      await end(first, COMPLETE, [step("old")]);
      await control(first.run.instanceId, "restart");
      const second = await claimOne();
      expect(second.run).toEqual({ ...first.run, runNumber: 2 });
      expect(second).toMatchObject({ settled: [], open: [], lostLeases: 0 });
      await end(second, COMPLETE, [step("old"), step("new")]);
      expect((await history(first.run)).steps.items.map((item) => item.stepKey)).toEqual(["old"]);
      expect((await history(second.run)).steps.items).toHaveLength(2);
    });

    test("a restart of a sleeping run clears its wait: only the new run is due (S0-123)", async () => {
      const { start, end, control, claimOne, claim, clock } = scene();
      const first = await start();
      await end(first, parkIn(1000), [openSleep("nap", { inMs: 1000 })]);
      await control(first.run.instanceId, "restart");
      await end(await claimOne(), COMPLETE);
      await clock.advance(2000);
      expect((await claim()).runs).toEqual([]);
    });

    test("a resumed run goes on where it was, before runs that start (S0-121)", async () => {
      const { create, start, end, control, claim } = scene();
      const run = await start();
      await control(run.run.instanceId, "pause");
      await end(run, { kind: "pause" }, [step("done")]);
      await create();
      expect(await control(run.run.instanceId, "resume")).toMatchObject({
        kind: "applied",
        woke: true,
      });
      const [next] = (await claim({ limit: 1 })).runs;
      expect(next).toMatchObject({ run: run.run, settled: [{ stepKey: "done" }], lostLeases: 0 });
    });

    test("timers keep counting while paused: what came due meanwhile runs after resume only (S0-099, S0-126)", async () => {
      const { start, end, control, claim, claimOne, clock } = scene();
      const run = await start();
      await end(run, parkIn(1000), [openSleep("nap", { inMs: 1000 })]);
      const wakeAt = (await clock.now()) + 1000;
      await control(run.run.instanceId, "pause");
      await clock.advance(5000);
      expect((await claim()).runs).toEqual([]);
      await control(run.run.instanceId, "resume");
      expect((await claimOne()).open).toMatchObject([{ stepKey: "nap", wakeAt }]);
    });

    test("a run whose runner is lost while it should pause is claimed to be paused (S0-116)", async () => {
      const { start, control, claimOne, end, load, clock } = scene();
      const run = await start();
      await control(run.run.instanceId, "pause");
      await clock.advance(60_000);
      const next = await claimOne();
      expect(next.pauseRequested).toBe(true);
      expect((await load(run.run.instanceId)).status).toBe("waitingForPause");
      await end(next, { kind: "pause" });
      expect(await load(run.run.instanceId)).toMatchObject({
        status: "paused",
        pauseRequested: false,
      });
    });

    test("S5-028 resume takes back a pause that no runner knows of yet: the run goes on under its lease", async () => {
      const { start, control, commitHeld, end, load } = scene();
      const run = await start();
      await control(run.run.instanceId, "pause");
      expect(await control(run.run.instanceId, "resume")).toMatchObject({
        kind: "applied",
        woke: false,
        instance: { status: "running", pauseRequested: false },
      });
      expect((await commitHeld(run, { changes: [step("one")] })).pauseRequested).toBe(false);
      expect((await end(run, COMPLETE)).paused).toBe(false);
      expect((await load(run.run.instanceId)).status).toBe("complete");
    });

    test.each([
      ["pause", { kind: "pause" }, "queued"],
      ["release", { kind: "release" }, "queued"],
      ["park", parkIn(1000), "waiting"],
    ] as const)(
      "S5-028 resume takes back a pause that its runner has heard of: its %s leaves the run to go on",
      async (_name, outcome, status) => {
        const { start, control, commitHeld, end, load, claimOne, clock } = scene();
        const run = await start();
        await control(run.run.instanceId, "pause");
        expect((await commitHeld(run)).pauseRequested).toBe(true);
        await control(run.run.instanceId, "resume");
        const ended = await end(run, outcome, [step("kept")]);
        const delayMs = status === "waiting" ? 1000 : 0;
        expect(ended).toMatchObject({ paused: false, dueAt: (await clock.now()) + delayMs });
        expect(await load(run.run.instanceId)).toMatchObject({ status, pauseRequested: false });
        await clock.advance(delayMs);
        expect(await claimOne()).toMatchObject({ pauseRequested: false, run: run.run });
      },
    );

    test("S5-028 a pause that was taken back and asked for again is carried out", async () => {
      const { start, control, end, load } = scene();
      const run = await start();
      for (const command of ["pause", "resume", "pause"] as const)
        await control(run.run.instanceId, command);
      expect(await end(run, { kind: "pause" })).toMatchObject({ paused: true, dueAt: null });
      expect((await load(run.run.instanceId)).status).toBe("paused");
    });

    test("a terminated instance is never due again (S0-122, S4-009)", async () => {
      const at = scene();
      for (const status of ["queued", "running", "waiting", "paused"] as const) {
        await at.control(await instanceIn(at, status), "terminate");
      }
      await at.clock.advance(3_600_000);
      expect(await at.claim()).toMatchObject({ runs: [], nextWakeAt: null });
    });
  });
}

function describeRow(scene: SceneSource, command: StoreCommand, status: InstanceStatusName): void {
  const rule = LIFECYCLE[command];
  const transition = rule.transitions[status];
  const refused = refusalOf(rule, { status, error: null });
  const effect = refused === null ? (transition?.to ?? "changes nothing") : "is refused";
  test(`${command} while ${status}: ${effect} (${ROWS[command]})`, async () => {
    const at = scene();
    const instanceId = await instanceIn(at, status);
    const before = await at.load(instanceId);
    await at.clock.advance(1);
    const result = await at.control(instanceId, command);
    const after = await at.load(instanceId);
    if (refused !== null || transition === undefined) {
      expect(after).toEqual(before);
      expect(result).toEqual(
        refused === null
          ? { kind: "applied", instance: before, woke: false }
          : { kind: refused, instance: before },
      );
      return;
    }
    expect(result).toEqual({
      kind: "applied",
      instance: after,
      woke: transition.task === "enqueue",
    });
    expect(after).toMatchObject({
      status: transition.to,
      pauseRequested: transition.pauseRequested,
      endRequested: rule.asks,
      runNumber: rule.run === "new" ? 2 : 1,
      updatedAt: await at.clock.now(),
    });
    const due = (await at.claim()).runs.map((run) => run.run.runNumber);
    expect(due).toEqual(transition.task === "enqueue" ? [after.runNumber] : []);
  });
}
