/** `restartOrCreate`: one of both, whatever exists and whoever calls at the same time. */
import { describe, expect, test } from "vitest";
import { toControlKey } from "../../core/decide/demand.ts";
import type { RestartOrCreateRequest, RestartOrCreateResult } from "../../ports/control.ts";
import type { NewInstance } from "../../ports/create.ts";
import { newId, step } from "./builders.ts";
import { COMPLETE, type Scene, type SceneSource } from "./scene.ts";

type Overrides = Partial<Omit<RestartOrCreateRequest, "create">> & {
  readonly create?: Partial<NewInstance>;
};

const ask = (
  { store, newInstance }: Scene,
  instanceId: string,
  { create, ...overrides }: Overrides = {},
): Promise<RestartOrCreateResult> =>
  store.restartOrCreate({
    create: newInstance({ instanceId, ...create }),
    taskRowId: newId(),
    ifRunNumber: null,
    ifStatus: null,
    controlKey: null,
    ...overrides,
  });

export function describeRestartOrCreate(scene: SceneSource): void {
  describe("restartOrCreate", () => {
    test("S6-022 creates what does not exist, and it is due", async () => {
      const at = scene();
      const result = await ask(at, "a", { create: { params: `1` } });
      expect(result).toMatchObject({ kind: "created", woke: true });
      expect(result.instance).toMatchObject({ status: "queued", runNumber: 1, params: `1` });
      expect(await at.load("a")).toEqual(result.instance);
      expect(await at.claimOne()).toMatchObject({ run: { runNumber: 1 }, params: `1` });
    });

    test("S6-022 restarts what exists with the new params, and the old run's process changes nothing more", async () => {
      const at = scene();
      const first = await at.start({ instanceId: "a", params: `1` });
      const result = await ask(at, "a", { create: { params: `2` } });
      expect(result).toMatchObject({ kind: "restarted", woke: true });
      expect(result.instance).toMatchObject({ status: "queued", runNumber: 2, params: `2` });
      expect(await at.load("a")).toEqual(result.instance);
      expect(await at.commit(first, { changes: [step("x")] })).toEqual({ kind: "conflict" });
      const second = await at.claimOne();
      expect(second).toMatchObject({ run: { runNumber: 2 }, params: `2`, settled: [] });
      await at.end(second, COMPLETE);
      expect(await at.fixture.countTasks(at.workflowName)).toBe(0);
    });

    test("S6-022 params that are left out are none", async () => {
      const at = scene();
      await at.create({ instanceId: "a", params: `1` });
      expect((await ask(at, "a")).instance.params).toBeNull();
      expect((await at.claimOne()).params).toBeNull();
    });

    test.each([
      { says: "another run", given: { ifRunNumber: 2 } },
      { says: "another status", given: { ifStatus: ["complete", "errored"] } },
      { says: "no status at all", given: { ifStatus: [] } },
      { says: "one of two conditions", given: { ifRunNumber: 1, ifStatus: ["paused"] } },
    ] as const)("S6-022 leaves alone what is in $says", async ({ given }) => {
      const at = scene();
      const before = await at.create({ instanceId: "a", params: `1` });
      expect(await ask(at, "a", given)).toEqual({
        kind: "unchanged",
        instance: before,
        woke: false,
      });
      expect(await at.load("a")).toEqual(before);
      expect((await at.claimOne()).run.runNumber).toBe(1);
    });

    test("S6-022 conditions that hold let it restart, and stand in no create's way", async () => {
      const at = scene();
      const given = { ifRunNumber: 1, ifStatus: ["terminated", "queued"] } as const;
      expect((await ask(at, "a", given)).kind).toBe("created");
      expect((await ask(at, "a", given)).kind).toBe("restarted");
      expect((await ask(at, "a", given)).kind).toBe("unchanged");
    });

    test("S6-022 of many at once one creates, and each of the others restarts once", async () => {
      const at = scene();
      const results = await Promise.all(Array.from({ length: 8 }, () => ask(at, "a")));
      expect(results.map(({ kind }) => kind).toSorted()).toEqual([
        "created",
        ...Array.from({ length: 7 }, () => "restarted"),
      ]);
      expect((await at.load("a")).runNumber).toBe(8);
      expect(await at.fixture.countTasks(at.workflowName)).toBe(1);
      expect((await at.claimOne()).run.runNumber).toBe(8);
    });

    test("S6-022 of many at once that want a run that ended one restarts", async () => {
      const at = scene();
      await at.end(await at.start({ instanceId: "a" }), COMPLETE);
      const results = await Promise.all(
        Array.from({ length: 8 }, () => ask(at, "a", { ifStatus: ["complete"] })),
      );
      expect(results.filter(({ kind }) => kind === "restarted")).toHaveLength(1);
      expect((await at.load("a")).runNumber).toBe(2);
    });

    test("S6-022 the key of the last restart with other params is a conflict, and changes nothing", async () => {
      const at = scene();
      await at.create({ instanceId: "a", params: `0` });
      const keyed = (params: string) => ({
        create: { params },
        controlKey: toControlKey("restartOrCreate k", [params]),
      });
      expect(await ask(at, "a", keyed("1"))).toMatchObject({ kind: "restarted", woke: true });
      expect(await ask(at, "a", keyed("2"))).toMatchObject({ kind: "keyConflict", woke: false });
      expect(await at.load("a")).toMatchObject({ runNumber: 2, params: `1` });
      expect(await ask(at, "a", keyed("1"))).toMatchObject({ kind: "restarted", woke: false });
    });

    test("S6-022 the same call again changes nothing, whichever of both it was", async () => {
      const at = scene();
      const create = { instanceRowId: newId(), params: `1` };
      const made = { create, controlKey: "restartOrCreate k" };
      expect((await ask(at, "a", made)).kind).toBe("created");
      expect((await ask(at, "a", made)).kind).toBe("created");
      const again = { controlKey: "restartOrCreate l", create: { params: `2` } };
      expect(await ask(at, "a", again)).toMatchObject({ kind: "restarted", woke: true });
      expect(await ask(at, "a", again)).toMatchObject({ kind: "restarted", woke: false });
      expect(await ask(at, "a", made)).toMatchObject({ kind: "created" });
      expect(await at.load("a")).toMatchObject({ runNumber: 2, params: `2` });
    });
  });
}
