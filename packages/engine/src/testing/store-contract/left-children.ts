/** Children that no parent waits for any more. */
import { describe, expect, test } from "vitest";
import type { InstanceRecord, OnParentEnd } from "../../core/model/records.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { errorOf, newId, step } from "./builders.ts";
import { COMPLETE, type SceneSource } from "./scene.ts";
import { FAR, newChild, family } from "./family.ts";

export function describeLeftChildren(source: SceneSource): void {
  describe("children that nobody waits for any more", () => {
    const asked: Readonly<Record<OnParentEnd, InstanceRecord["endRequested"]>> = {
      abandon: null,
      terminate: "terminate",
      rollback: "rollback",
    };

    for (const [onParentEnd, endRequested] of Object.entries(asked) as [
      OnParentEnd,
      InstanceRecord["endRequested"],
    ][])
      test(`S6-012 are asked to end as their parent said: ${onParentEnd}`, async () => {
        const scene = source();
        const ways = [
          (parent: ClaimedRun) => scene.control(parent.run.instanceId, "terminate"),
          (parent: ClaimedRun) => scene.control(parent.run.instanceId, "restart"),
        ];
        for (const leave of ways) {
          const { parent, child } = await family(scene, { onParentEnd });
          const other = await family(scene, { onParentEnd: "terminate" });
          await scene.end(child, FAR, []);
          await leave(parent);
          const status = endRequested === null ? "waiting" : "queued";
          expect(await scene.load(child.run.instanceId)).toMatchObject({ endRequested, status });
          expect(await scene.load(other.child.run.instanceId)).toMatchObject({
            endRequested: null,
            status: "running",
          });
          await scene.control(parent.run.instanceId, "terminate");
          await scene.control(other.parent.run.instanceId, "terminate");
          const { runs } = await scene.claim();
          for (const run of runs) await scene.end(run, COMPLETE);
        }
      });

    test("S6-012 are asked by a commit, those of the step alone, whatever they do at the time", async () => {
      const scene = source();
      const parent = await scene.start();
      const keys = ["runs", "waits", "queued", "paused", "pausing", "over", "other"];
      const children = keys.map((stepKey) =>
        newChild(scene, { stepKey, onParentEnd: "terminate" }),
      );
      await scene.commitHeld(parent, { changes: children });
      const idOf = (key: string): string =>
        children.find(({ stepKey }) => stepKey === key)?.instanceId ?? "";
      const { runs } = await scene.claim();
      const runOf = (key: string): ClaimedRun =>
        runs.find(({ run }) => run.instanceId === idOf(key)) as ClaimedRun;
      await scene.end(runOf("waits"), FAR);
      await scene.end(runOf("other"), FAR);
      await scene.end(runOf("over"), COMPLETE);
      await scene.control(idOf("paused"), "pause");
      await scene.end(runOf("paused"), { kind: "pause" });
      await scene.control(idOf("pausing"), "pause");
      await scene.control(idOf("queued"), "restart");
      const left = keys
        .slice(0, -1)
        .map((stepKey) => ({ kind: "childReleased", stepKey }) as const);
      await scene.commitHeld(parent, { changes: left });
      const statuses = await Promise.all(keys.map((key) => scene.load(idOf(key))));
      expect(statuses.map(({ status, endRequested }) => [status, endRequested])).toEqual([
        ["running", "terminate"],
        ["queued", "terminate"],
        ["queued", "terminate"],
        ["queued", "terminate"],
        ["running", "terminate"],
        ["complete", null],
        ["waiting", null],
      ]);
      const due = (await scene.claim()).runs;
      expect(due.map(({ endRequested }) => endRequested)).toEqual(Array(3).fill("terminate"));
      expect(await scene.commit(runOf("runs"))).toMatchObject({ endRequested: "terminate" });
    });

    test("S6-022 S6-012 of steps that a rewind removes are asked to end, and no others", async () => {
      const scene = source();
      const parent = await scene.start();
      const children = ["before", "behind"].map((stepKey) =>
        newChild(scene, { stepKey, onParentEnd: "terminate" }),
      );
      const before = step("before", { type: "invoke", settledOrder: 1 });
      const behind = step("behind", { type: "invoke", settledOrder: 3 });
      const changes = [before, step("aim", { settledOrder: 2 }), behind, ...children];
      await scene.end(parent, FAR, changes);
      const result = await scene.store.rewind({
        ...scene.newInstance(parent.run),
        stepKey: "aim",
        ifRunNumber: null,
        ifStatus: null,
        controlKey: null,
        keepsKeys: false,
        eventRowId: newId(),
      });
      expect(result).toMatchObject({ kind: "applied", woke: true });
      const [kept, left] = await Promise.all(children.map((one) => scene.load(one.instanceId)));
      expect([kept?.endRequested, left?.endRequested]).toEqual([null, "terminate"]);
    });

    test("S6-012 a rollback that was asked for before is not taken back", async () => {
      const scene = source();
      const { parent, child } = await family(scene, { onParentEnd: "terminate" });
      await scene.control(child.run.instanceId, "rollback");
      await scene.control(parent.run.instanceId, "terminate");
      expect((await scene.load(child.run.instanceId)).endRequested).toBe("rollback");
      await scene.end(child, { kind: "fail", error: errorOf("E", "e") });
    });

    test("S6-012 a commit of a lease that is lost asks nobody", async () => {
      const scene = source();
      const { parent, child, created } = await family(scene, { onParentEnd: "terminate" });
      const { stepKey } = created;
      await scene.commit(parent, { changes: [{ kind: "childReleased", stepKey }] });
      expect((await scene.load(child.run.instanceId)).endRequested).toBe(null);
    });
  });
}
