/** `create`: independent items, idempotent by row id, optionally claimed at once. */
import { describe, expect, test } from "vitest";
import { type CreateResult, type NewInstance, OTHER_PARAMS } from "../../ports/create.ts";
import { SMALL_PAYLOAD_BYTES } from "../../ports/pages.ts";
import { newId } from "./builders.ts";
import { COMPLETE, parkIn, LEASE_MS, type SceneSource } from "./scene.ts";

const kinds = (results: readonly CreateResult[]): string[] => results.map((result) => result.kind);

export function describeCreate(scene: SceneSource): void {
  describe("create", () => {
    test("a new instance is queued, in its first run, stamped with database time (S0-100)", async () => {
      const { create, clock, load } = scene();
      const instance = await create({ params: `{"order":1}` });
      const now = await clock.now();
      expect(instance).toMatchObject({
        status: "queued",
        runNumber: 1,
        params: `{"order":1}`,
        pauseRequested: false,
      });
      expect(instance).toMatchObject({
        output: null,
        error: null,
        startedAt: null,
        completedAt: null,
      });
      expect([instance.createdAt, instance.updatedAt]).toEqual([now, now]);
      expect(await load(instance.instanceId)).toEqual(instance);
    });

    test("a new instance is due at once, as a start (S4-035)", async () => {
      const { create, claimOne } = scene();
      const { instanceId } = await create();
      expect((await claimOne()).run).toMatchObject({ instanceId, runNumber: 1 });
    });

    test("an id that is taken is reported with the instance that has it, and nothing is written", async () => {
      const { store, create, newInstance, claim } = scene();
      const first = await create({ params: "1" });
      const [again] = await store.create([
        newInstance({ instanceId: first.instanceId, params: "2" }),
      ]);
      expect(again).toEqual({ kind: "exists", instance: first });
      expect((await claim()).runs).toHaveLength(1);
    });

    test("a batch creates the new ones and reports the existing ones, in request order", async () => {
      const { store, create, newInstance, claim } = scene();
      const taken = await create();
      const batch = [newInstance(), newInstance({ instanceId: taken.instanceId }), newInstance()];
      const results = await store.create(batch);
      expect(kinds(results)).toEqual(["created", "exists", "created"]);
      const ids = results.map((result) =>
        result.kind === "failed" ? null : result.instance.instanceId,
      );
      expect(ids).toEqual(batch.map((instance) => instance.instanceId));
      expect((await claim()).runs).toHaveLength(3);
    });

    test("an id that comes twice in one batch is created once", async () => {
      const { store, newInstance, claim } = scene();
      const first = newInstance();
      const results = await store.create([first, newInstance({ instanceId: first.instanceId })]);
      expect(kinds(results)).toEqual(["created", "exists"]);
      expect((await claim()).runs).toHaveLength(1);
    });

    test("a batch of 100 is created in one call", async () => {
      const { store, newInstance, claim } = scene();
      const results = await store.create(Array.from({ length: 100 }, () => newInstance()));
      expect(new Set(kinds(results))).toEqual(new Set(["created"]));
      expect((await claim({ limit: 1000 })).runs).toHaveLength(100);
    });

    test("no instances at all is no work", async () => {
      expect(await scene().store.create([])).toEqual([]);
    });

    test("the same id in two workflows is two instances", async () => {
      const { store, create, newInstance } = scene();
      const { instanceId } = await create();
      const [other] = await store.create([
        newInstance({ workflowName: `O${newId()}`, instanceId }),
      ]);
      expect(other?.kind).toBe("created");
    });

    test("a create repeated because its answer was lost is created, once", async () => {
      const { store, newInstance, claim } = scene();
      const request = newInstance();
      const first = await store.create([request]);
      expect(await store.create([request])).toEqual(first);
      expect((await claim()).runs).toHaveLength(1);
    });

    test.each([1, 2])(
      "S5-023 under a key, what an earlier create has written is told, and not what is asked for now: %i at once",
      async (count) => {
        const { store, newInstance } = scene();
        const ids = Array.from({ length: count }, () => newInstance());
        const under = (said: Partial<NewInstance>): readonly NewInstance[] =>
          ids.map((instance) => Object.assign({}, instance, said, { isKeyed: true }));
        const written = await store.create(under({ params: "1", tags: ["first"], memo: "1" }));
        const again = under({ params: "2", tags: [], memo: "2" });
        expect(await store.create(again)).toEqual(written);
      },
    );

    test("S8-009 a batch reads of what exists no large output, and no larger params than its own", async () => {
      const { store, newInstance, claimOne, end } = scene();
      const outputs = ["small", "x".repeat(SMALL_PAYLOAD_BYTES)].map((text) =>
        JSON.stringify(text),
      );
      const written: NewInstance[] = [];
      for (const output of outputs) {
        const params = JSON.stringify("€".repeat(5000));
        const instance = newInstance({ params, isKeyed: true, isOfBatch: true });
        await store.create([instance]);
        await end(await claimOne(), { kind: "complete", output });
        written.push(instance);
      }
      const [small = null, large = null] = await store.create(written);
      const { params } = written[0] ?? {};
      expect(small).toMatchObject({ kind: "created", instance: { output: outputs[0], params } });
      expect(small).not.toHaveProperty("instance.omittedBytes");
      const omittedBytes = outputs[1]?.length;
      expect(large).toMatchObject({ instance: { output: null, omittedBytes, params } });
      for (const asked of [`"${"€".repeat(4999)}"`, null]) {
        const others = written.map((instance) => ({ ...instance, params: asked }));
        for (const result of await store.create(others))
          expect(result).toMatchObject({ instance: { params: OTHER_PARAMS } });
      }
      const whole = written.map(({ isOfBatch: _isOfBatch, ...instance }) => instance);
      const [, all] = await store.create(whole);
      expect(all).toMatchObject({ instance: { output: outputs[1], params } });
    });

    test("a create repeated after the run has ended does not run it again", async () => {
      const { store, newInstance, claimOne, claim, end } = scene();
      const request = newInstance();
      await store.create([request]);
      await end(await claimOne(), COMPLETE);
      const [again] = await store.create([request]);
      expect(again).toMatchObject({ kind: "created", instance: { status: "complete" } });
      expect((await claim()).runs).toEqual([]);
    });
  });

  describe("create and claim at once", () => {
    test("the run is running under the caller's lease", async () => {
      const { newInstance, store, claim, clock } = scene();
      const token = newId();
      const request = newInstance({ claim: { token, leaseMs: LEASE_MS } });
      const [result] = await store.create([request]);
      const now = await clock.now();
      expect(result).toMatchObject({
        kind: "created",
        instance: { status: "running", startedAt: now },
      });
      expect((await claim()).runs).toEqual([]);
      const run = {
        workflowName: request.workflowName,
        instanceId: request.instanceId,
        runNumber: 1,
      };
      const { taskRowId: taskId, instanceRowId } = request;
      const lease = { taskId, token: `${token}.1`, instanceRowId };
      const [committed] = await store.commit([
        {
          lease,
          run,
          changes: [],
          outcome: COMPLETE,
          diverged: [],

          clearsLostLeases: false,
          number: 1,
          readsEvents: false,
          renewLeaseMs: null,
          knownEventSequence: 0,
          knownEndRequest: null,
        },
      ]);
      expect(committed?.kind).toBe("committed");
    });

    test("when its runner is lost, the next claim counts a lost claim", async () => {
      const { create, claim, claimOne, clock } = scene();
      await create({ claim: { token: newId(), leaseMs: LEASE_MS } });
      expect((await claim()).runs).toEqual([]);
      await clock.advance(LEASE_MS);
      expect((await claimOne()).lostLeases).toBe(1);
    });

    test("it tells what comes next where it is asked, as a claim does, its own run left out", async () => {
      const { store, newInstance, start, end, clock, workflowName } = scene();
      await end(await start(), parkIn(50_000));
      const now = await clock.now();
      const asking = { token: newId(), leaseMs: LEASE_MS, looksFor: [workflowName] };
      const [first] = await store.create([newInstance({ claim: asking })]);
      expect(first).toMatchObject({ kind: "created", next: { now } });
      const dueAt = now + 50_000;
      expect(first).toMatchObject({ next: { nextDueAt: dueAt, nextWakeAt: dueAt } });
      const others = { ...asking, token: newId(), looksFor: ["of nobody"] };
      const [second, third] = await store.create([
        newInstance({ claim: others }),
        newInstance({ claim: { token: newId(), leaseMs: LEASE_MS } }),
      ]);
      expect(second).toMatchObject({ next: { nextDueAt: null, nextWakeAt: null } });
      expect(third).not.toHaveProperty("next.now");
    });

    test("an id that is taken is not claimed", async () => {
      const { store, create, newInstance, claimOne } = scene();
      const { instanceId } = await create();
      const claimed = newInstance({ instanceId, claim: { token: newId(), leaseMs: LEASE_MS } });
      expect(kinds(await store.create([claimed]))).toEqual(["exists"]);
      expect((await claimOne()).lostLeases).toBe(0);
    });
  });
}
