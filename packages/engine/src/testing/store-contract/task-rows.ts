/** The task table holds what is still to be done, and nothing else: it grows with live runs, not with finished ones. */
import { describe, expect, test } from "vitest";
import type { RunOutcome } from "../../core/model/change.ts";
import type { StoreCommand } from "../../core/decide/lifecycle.ts";
import { errorOf, openSleep, step } from "./builders.ts";
import { COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";

const FAIL: RunOutcome = { kind: "fail", error: errorOf("E", "m") };

/** Ends a new instance in each way in which a run can come to rest. */
const ENDS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "complete at once": async ({ start, end }) => end(await start(), COMPLETE, [step("s")]),
  "fail at once": async ({ start, end }) => end(await start(), FAIL, [step("s")]),
  "complete after a sleep": async (scene) => {
    await sleepThrough(scene);
    await scene.end(await scene.claimOne(), COMPLETE);
  },
  "fail after a sleep": async (scene) => {
    await sleepThrough(scene);
    await scene.end(await scene.claimOne(), FAIL);
  },
  "complete after a takeover": async ({ start, clock, claimOne, end }) => {
    await start();
    await clock.advance(120_000);
    await end(await claimOne(), COMPLETE);
  },
  "complete after a restart": async ({ start, end, control, claimOne }) => {
    const run = await start();
    await end(run, COMPLETE);
    await control(run.run.instanceId, "restart");
    await end(await claimOne(), COMPLETE);
  },
  "terminated while queued": (scene) => controlled(scene, "terminate"),
  "terminated while running": async (scene) => {
    const run = await scene.start();
    await scene.control(run.run.instanceId, "terminate");
  },
  "terminated while asleep": async (scene) => {
    const run = await scene.start();
    await scene.end(run, parkIn(1000), [openSleep("nap", { inMs: 1000 })]);
    await scene.control(run.run.instanceId, "terminate");
  },
  "paused while queued": (scene) => controlled(scene, "pause"),
  "paused at the end of a body": async ({ start, control, end }) => {
    const run = await start();
    await control(run.run.instanceId, "pause");
    await end(run, { kind: "pause" });
  },
  "paused as it parks": async ({ start, control, end }) => {
    const run = await start();
    await control(run.run.instanceId, "pause");
    await end(run, parkIn(1000), [openSleep("nap", { inMs: 1000 })]);
  },
};

async function sleepThrough({ start, end, clock }: Scene): Promise<void> {
  await end(await start(), parkIn(1000), [openSleep("nap", { inMs: 1000 })]);
  await clock.advance(2000);
}

async function controlled({ create, control }: Scene, command: StoreCommand): Promise<void> {
  await control((await create()).instanceId, command);
}

export function describeTaskRows(scene: SceneSource): void {
  describe("task rows", () => {
    test.each(Object.entries(ENDS))(
      "%s: its task is deleted (S0-085, S0-168, S4-039)",
      async (_, end) => {
        const at = scene();
        await end(at);
        expect(await at.fixture.countTasks(at.workflowName)).toBe(0);
      },
    );

    test("fifty finished runs beside one that waits leave the one task (S0-083, S0-085, S0-168)", async () => {
      const { create, start, end, claim, fixture, workflowName } = scene();
      await end(await start(), parkIn(3_600_000), [openSleep("nap", { inMs: 3_600_000 })]);
      for (let count = 0; count < 50; count += 1) await create();
      expect(await fixture.countTasks(workflowName)).toBe(51);
      for (const run of (await claim()).runs) await end(run, COMPLETE);
      expect(await fixture.countTasks(workflowName)).toBe(1);
    });
  });
}
