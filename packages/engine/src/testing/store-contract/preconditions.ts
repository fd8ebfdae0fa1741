/** What a call demands of the instance: of commands, events and deletes, in the same words and with the same refusals. */
import { describe, expect, test } from "vitest";
import type { Conditions } from "../../core/decide/demand.ts";
import { LIFECYCLE, type StoreCommand } from "../../core/decide/lifecycle.ts";
import type { InstanceStatusName } from "../../core/model/status.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { family } from "./family.ts";
import { errorOf, newId, openSleep, openWait, step } from "./builders.ts";
import { COMPLETE, parkIn, type Scene, type SceneSource } from "./scene.ts";

const ANY: Conditions = { ifRunNumber: null, ifStatus: null };

const UNMET: readonly (readonly [kind: string, demand: Conditions])[] = [
  ["runNumberMismatch", { ...ANY, ifRunNumber: 7 }],
  ["statusMismatch", { ...ANY, ifStatus: ["paused", "terminated"] }],
  ["statusMismatch", { ...ANY, ifStatus: [] }],
  ["runNumberMismatch", { ifRunNumber: 7, ifStatus: ["paused"] }],
];

const COMMANDS = Object.keys(LIFECYCLE) as StoreCommand[];

/** A status from which each command does something. */
const fromOf = (command: StoreCommand): InstanceStatusName =>
  command === "retry" ? "errored" : command === "resume" ? "paused" : "waiting";

async function bring(scene: Scene, status: InstanceStatusName): Promise<ClaimedRun["run"]> {
  const run = await scene.start();
  if (status === "errored") {
    const failed = { status, error: errorOf("E", "m"), settledOrder: 1 } as const;
    await scene.end(run, { kind: "fail", error: errorOf("E", "m") }, [step("a", failed)]);
  } else if (status === "complete") await scene.end(run, COMPLETE);
  else await scene.end(run, parkIn(60_000), [openSleep("nap", { inMs: 60_000 })]);
  if (status === "paused") await scene.control(run.run.instanceId, "pause");
  return run.run;
}

async function everythingOf(scene: Scene, run: ClaimedRun["run"]): Promise<unknown> {
  const tasks = await scene.fixture.countTasks(scene.workflowName);
  return [await scene.load(run.instanceId), await scene.history(run), tasks];
}

export function describePreconditions(source: SceneSource): void {
  describe("preconditions", () => {
    test.each(COMMANDS)(
      "a %s of an instance in a status that is named is done",
      async (command) => {
        const scene = source();
        const status = fromOf(command);
        const run = await bring(scene, status);
        const demand = { ifRunNumber: 1, ifStatus: ["complete", status] } as const;
        const other = await bring(scene, status);
        const done = await scene.control(run.instanceId, command, demand);
        const plain = await scene.control(other.instanceId, command);
        const ofIt = {
          instanceId: run.instanceId,
          status: plain.kind === "applied" && plain.instance.status,
        };
        expect(done).toMatchObject({ kind: "applied", instance: ofIt });
        expect({ ...done, instance: null }).toEqual({ ...plain, instance: null });
        const [{ steps }, { steps: others }] = [
          await scene.history(run),
          await scene.history(other),
        ];
        const shown = (items: typeof steps.items) =>
          items.map(({ stepKey, status: is }) => [stepKey, is]);
        expect(shown(steps.items)).toEqual(shown(others.items));
      },
    );

    test.each(
      COMMANDS.flatMap((command) =>
        UNMET.filter(([, { ifStatus }]) => !ifStatus?.includes(fromOf(command))).map(
          ([kind, demand]) => [command, kind, demand] as const,
        ),
      ),
    )("a refused %s changes nothing: %s %j", async (command, kind, demand) => {
      const scene = source();
      const run = await bring(scene, fromOf(command));
      const before = await everythingOf(scene, run);
      const refused = await scene.control(run.instanceId, command, demand);
      expect(refused).toMatchObject({ kind, instance: { runNumber: 1, status: fromOf(command) } });
      expect(await everythingOf(scene, run)).toEqual(before);
    });

    test("a command that is refused for its instance's status leaves its children alone", async () => {
      const scene = source();
      const { parent, child } = await family(scene, { onParentEnd: "terminate" });
      const { instanceId } = parent.run;
      for (const command of ["restart", "terminate"] as const)
        expect(await scene.control(instanceId, command, { ifStatus: ["errored"] })).toMatchObject({
          kind: "statusMismatch",
        });
      const asked = async () => (await scene.load(child.run.instanceId)).endRequested;
      expect(await asked()).toBeNull();
      await scene.control(instanceId, "terminate", { ifStatus: ["waiting"] });
      expect(await asked()).toBe("terminate");
    });

    test("a command that came before is a repeat, whatever it demands", async () => {
      const scene = source();
      const { instanceId } = await bring(scene, "waiting");
      const demand = { ifStatus: ["waiting"], controlKey: "pause k" } as const;
      expect(await scene.control(instanceId, "pause", demand)).toMatchObject({ kind: "applied" });
      expect(await scene.control(instanceId, "pause", demand)).toMatchObject({ kind: "applied" });
    });

    test.each(UNMET)(
      "an event that finds another instance than it means is not stored: %s %j",
      async (kind, demand) => {
        const scene = source();
        const run = await scene.start();
        await scene.end(run, parkIn(60_000), [openWait("w", "go", null)]);
        const before = await everythingOf(scene, run.run);
        const { instanceId } = run.run;
        const claim = { token: newId(), leaseMs: 30_000 };
        const refused = await scene.send(instanceId, "go", "1", { demand, claim, eventId: "e" });
        expect(refused).toMatchObject({ kind, instance: { status: "waiting" } });
        expect(await everythingOf(scene, run.run)).toEqual(before);
        const met = { ifRunNumber: 1, ifStatus: ["waiting"] } as const;
        const sent = await scene.send(instanceId, "go", "1", { demand: met, eventId: "e" });
        expect(sent).toMatchObject({ kind: "applied", woke: true });
        const again = await scene.send(instanceId, "go", "1", { demand, eventId: "e" });
        expect(again).toMatchObject({ kind: "applied" });
      },
    );

    test.each(UNMET)(
      "an instance that is not the one that was meant is not deleted: %s %j",
      async (kind, demand) => {
        const scene = source();
        const run = await bring(scene, "complete");
        const { workflowName, store } = scene;
        const instance = { workflowName, instanceId: run.instanceId };
        const before = await everythingOf(scene, run);
        const refused = await store.deleteExpired({ instances: [instance], rules: null, demand });
        expect(refused).toEqual({ count: 0, isTooLarge: false });
        expect(await store.emptyExpired({ instance, rules: null, demand })).toBe(false);
        expect(await everythingOf(scene, run), kind).toEqual(before);
        const met = { ifRunNumber: 1, ifStatus: ["complete"] } as const;
        const deleted = await store.deleteExpired({
          instances: [instance],
          rules: null,
          demand: met,
        });
        expect(deleted).toEqual({ count: 1, isTooLarge: false });
      },
    );
  });
}
