/** Steps on which code and history disagree, as an instance shows them. */
import { describe, expect, test } from "vitest";
import type { RunOutcome } from "../../core/model/change.ts";
import type { DivergedStep } from "../../core/model/records.ts";
import { errorOf, newId, openWait, step } from "./builders.ts";
import { COMPLETE, parkIn, type SceneSource } from "./scene.ts";

const LEFT: DivergedStep = { kind: "notCalled", stepKey: "left", recorded: "never", called: null };
const WORD: DivergedStep = {
  kind: "eventTypeChanged",
  stepKey: "wörd",
  recorded: "old",
  called: "new",
};
const FAIL: RunOutcome = { kind: "fail", error: { ...errorOf("E", "m"), code: "C" } };

export function describeDivergedSteps(scene: SceneSource): void {
  describe("steps that code and history disagree on", () => {
    test("S5-024 a parked instance names them wherever it is shown, and while it is claimed again", async () => {
      const at = scene();
      const run = await at.start();
      const { instanceId } = run.run;
      const diverged = [LEFT, WORD];
      const changes = [openWait("left", "never", null)];
      await at.commitHeld(run, { outcome: parkIn(1000), changes, diverged });
      expect(await at.load(instanceId)).toMatchObject({ status: "waiting", error: null, diverged });
      const list = await at.store.listInstances({
        workflowName: at.workflowName,
        status: null,
        pageSize: 10,
        after: null,
      });
      expect(list.items).toMatchObject([{ instanceId, diverged }]);
      expect(await at.send(instanceId, "other")).toMatchObject({ instance: { diverged } });
      await at.clock.advance(1000);
      await at.claimOne();
      expect(await at.load(instanceId)).toMatchObject({ status: "running", diverged });
      const [again] = await at.store.create([at.newInstance({ instanceId })]);
      expect(again).toMatchObject({ kind: "exists", instance: { diverged } });
    });

    test("S5-024 the next park says it anew", async () => {
      const { start, commitHeld, claimOne, load, clock } = scene();
      const run = await start();
      await commitHeld(run, { outcome: parkIn(1000), diverged: [LEFT, WORD] });
      for (const diverged of [[WORD], []]) {
        await clock.advance(1000);
        await commitHeld(await claimOne(), { outcome: parkIn(1000), diverged });
        expect((await load(run.run.instanceId)).diverged).toEqual(diverged);
      }
    });

    test.each(["release", "pause"] as const)(
      "S5-024 a %s, before which the code may not have been called, leaves what was said",
      async (kind) => {
        const { start, commitHeld, claimOne, load, control, clock } = scene();
        const run = await start();
        const { instanceId } = run.run;
        await commitHeld(run, { outcome: parkIn(1000), diverged: [LEFT] });
        await clock.advance(1000);
        const next = await claimOne();
        if (kind === "pause") await control(instanceId, "pause");
        await commitHeld(next, { outcome: { kind } });
        expect(await load(instanceId)).toMatchObject({
          status: kind === "pause" ? "paused" : "queued",
          diverged: [LEFT],
        });
      },
    );

    test("S5-024 a park that a pause turns into one says it too", async () => {
      const { start, commitHeld, load, control } = scene();
      const run = await start();
      await control(run.run.instanceId, "pause");
      await commitHeld(run, { outcome: parkIn(1000), diverged: [LEFT] });
      expect(await load(run.run.instanceId)).toMatchObject({ status: "paused", diverged: [LEFT] });
    });

    test.each([
      ["complete", COMPLETE, { output: `"done"`, error: null }],
      ["errored", FAIL, { output: null, error: { name: "E", message: "m", code: "C" } }],
    ] as const)(
      "S5-024 an instance that is %s tells it beside its result",
      async (_name, outcome, result) => {
        const { start, commitHeld, load } = scene();
        for (const hasStep of [false, true])
          for (const diverged of [[LEFT], []]) {
            const run = await start();
            const changes = hasStep ? [step("last")] : [];
            await commitHeld(run, { outcome, changes, diverged });
            expect(await load(run.run.instanceId)).toMatchObject({ ...result, diverged });
          }
      },
    );

    test("S5-024 terminate keeps it, restart begins without", async () => {
      const { start, commitHeld, control } = scene();
      const run = await start();
      const { instanceId } = run.run;
      await commitHeld(run, { outcome: parkIn(1000), diverged: [LEFT] });
      const of = (diverged: readonly DivergedStep[]): object => ({ instance: { diverged } });
      expect(await control(instanceId, "terminate")).toMatchObject(of([LEFT]));
      expect(await control(instanceId, "pause")).toMatchObject(of([LEFT]));
      const controlKey = newId();
      expect(await control(instanceId, "restart", { controlKey })).toMatchObject(of([]));
    });
  });
}
