/** Fences: a runner without its lease writes nothing, however it lost the lease and whatever it tries. */
import { describe, expect, test } from "vitest";
import type { RunOutcome } from "../../core/model/change.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { errorOf, eventConsumed, newId, step } from "./builders.ts";
import { COMPLETE, LEASE_MS, parkIn, type Scene, type SceneSource } from "./scene.ts";

const OUTCOMES: readonly RunOutcome[] = [
  { kind: "continue" },
  parkIn(1),
  { kind: "release" },
  { kind: "pause" },
  COMPLETE,
  { kind: "fail", error: errorOf("Error", "stale") },
];

const LOSSES: Readonly<Record<string, (scene: Scene, run: ClaimedRun) => Promise<unknown>>> = {
  "after a takeover (S0-088, S0-089)": async ({ clock, claimOne }) => {
    await clock.advance(LEASE_MS);
    await claimOne();
  },
  "after a restart (S0-095, S0-125)": ({ control }, { run }) => control(run.instanceId, "restart"),
  "after a restart that was claimed already (S0-095, S0-125)": async (
    { control, claimOne },
    { run },
  ) => {
    await control(run.instanceId, "restart");
    await claimOne();
  },
  "after a terminate (S0-122)": ({ control }, { run }) => control(run.instanceId, "terminate"),
  "after its own hand-over": ({ end }, run) => end(run, { kind: "release" }),
  "after its own hand-over, claimed by another": async ({ end, claimOne }, run) => {
    await end(run, { kind: "release" });
    await claimOne();
  },
  "after its own park (S4-014)": ({ end }, run) => end(run, parkIn(60_000)),
  "after its own pause": async ({ control, end }, run) => {
    await control(run.run.instanceId, "pause");
    await end(run, { kind: "pause" });
  },
  "after its own end": ({ end }, run) => end(run, COMPLETE),
};

/** What happens between two deliveries of one claim. */
const BETWEEN: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "": async () => undefined,
  ", with a lease of somebody else between": async ({ claimOne, end }) =>
    end(await claimOne(), { kind: "release" }),
};

/** A commit that a store may write in one statement. */
const LONE_BOUNDARY = {
  changes: [step("alone")],

  renewLeaseMs: null,
  readsEvents: false,
} as const;

export function describeFences(scene: SceneSource): void {
  describe("fences", () => {
    test("a boundary of one step writes it, tells the time and whether a pause is asked for (S0-120)", async () => {
      const { start, commitHeld, control, history, clock } = scene();
      const run = await start();
      const now = await clock.now();
      expect(await commitHeld(run, LONE_BOUNDARY)).toMatchObject({ now, pauseRequested: false });
      await control(run.run.instanceId, "pause");
      const again = await commitHeld(run, { ...LONE_BOUNDARY, changes: [step("next")] });
      expect(again).toMatchObject({ pauseRequested: true, paused: false, dueAt: null });
      const { items } = (await history(run.run)).steps;
      expect(items.map(({ stepKey }) => stepKey).toSorted()).toEqual(["alone", "next"]);
    });

    for (const [name, lose] of Object.entries(LOSSES)) {
      test(`a stale runner changes nothing ${name}`, async () => {
        const at = scene();
        const { instanceId } = await at.create();
        await at.send(instanceId, "go");
        const run = await at.claimOne();
        await lose(at, run);
        const before = { instance: await at.load(instanceId), history: await at.history(run.run) };
        for (const outcome of OUTCOMES) {
          const changes = [step("stale"), eventConsumed(run.events[0]?.id ?? "", "stale")];
          const result = await at.commit(run, { outcome, changes, renewLeaseMs: LEASE_MS * 9 });
          expect(result).toEqual({ kind: "conflict" });
        }
        expect(await at.commit(run, LONE_BOUNDARY)).toEqual({ kind: "conflict" });
        expect({ instance: await at.load(instanceId), history: await at.history(run.run) }).toEqual(
          before,
        );
      });
    }

    test("the run that took over goes on undisturbed by the stale runner (S0-089, S0-115)", async () => {
      const { start, claimOne, commit, end, load, history, clock } = scene();
      const stale = await start();
      await clock.advance(LEASE_MS);
      const current = await claimOne();
      await commit(stale, {
        outcome: COMPLETE,
        changes: [step("a", { result: `"late"`, version: 1 })],
      });
      await end(current, { kind: "complete", output: `"good"` }, [
        step("a", { result: `"in time"` }),
      ]);
      expect((await load(current.run.instanceId)).output).toBe(`"good"`);
      expect((await history(current.run)).steps.items.map((item) => item.result)).toEqual([
        `"in time"`,
      ]);
    });

    for (const [name, between] of Object.entries(BETWEEN)) {
      test(`S0-089 what is late of a lease is not applied under another of the same claim, which arrived twice${name}`, async () => {
        const at = scene();
        const { instanceId } = await at.create();
        const token = newId();
        const run = await at.claimOne({ token });
        await at.end(run, { kind: "release" });
        await between(at);
        const twice = await at.claimOne({ token });
        const before = { instance: await at.load(instanceId), history: await at.history(run.run) };
        for (const outcome of OUTCOMES)
          expect(await at.commit(run, { outcome, changes: [step("late")] })).toEqual({
            kind: "conflict",
          });
        expect({ instance: await at.load(instanceId), history: await at.history(run.run) }).toEqual(
          before,
        );
        await at.end(twice, COMPLETE);
      });
    }

    test("a lease of another run proves nothing", async () => {
      const { create, claim, commit } = scene();
      await create();
      await create();
      const [one, two] = (await claim()).runs as [ClaimedRun, ClaimedRun];
      const mixed = { ...one, lease: { ...one.lease, token: `${two.lease.token}x` } };
      expect(await commit(mixed, { outcome: COMPLETE })).toEqual({ kind: "conflict" });
    });
  });
}
