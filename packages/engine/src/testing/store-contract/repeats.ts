/** Repeated calls from outside: events by their id, commands by their key, and commands for one run. */
import { describe, expect, test } from "vitest";
import { newId, openWait } from "./builders.ts";
import { COMPLETE, parkIn, type SceneSource } from "./scene.ts";

export function describeRepeats(scene: SceneSource): void {
  describe("events that come again", () => {
    test("S5-023 an event is stored once under its id, and the repeat is accepted", async () => {
      const { create, send, claimOne } = scene();
      const { instanceId } = await create();
      const first = await send(instanceId, "go", `{"n":1}`, { eventId: "e-1" });
      expect(await send(instanceId, "go", `{"n":1}`, { eventId: "e-1" })).toEqual(first);
      await send(instanceId, "go", `{"n":1}`, { eventId: "e-2" });
      await send(instanceId, "go", `{"n":1}`);
      expect((await claimOne()).events).toHaveLength(3);
    });

    test.each([
      ["type", "stop", `1`],
      ["payload", "go", `2`],
      ["payload that is missing", "go", null],
    ])("S5-023 the same id with another %s is a conflict", async (_what, type, payload) => {
      const { create, send, claimOne } = scene();
      const { instanceId } = await create();
      await send(instanceId, "go", `1`, { eventId: "e" });
      expect(await send(instanceId, type, payload, { eventId: "e" })).toMatchObject({
        kind: "eventIdConflict",
        instance: { instanceId },
      });
      expect((await claimOne()).events).toMatchObject([{ type: "go", payload: `1` }]);
    });

    test("S5-023 an event without payload is the same as the one before", async () => {
      const { create, send } = scene();
      const { instanceId } = await create();
      await send(instanceId, "go", null, { eventId: "e" });
      expect(await send(instanceId, "go", null, { eventId: "e" })).toMatchObject({
        kind: "applied",
      });
    });

    test("S5-023 a repeat wakes nobody, whether its event is taken or not", async () => {
      const { start, end, send, claim } = scene();
      const run = await start();
      const { instanceId } = run.run;
      await send(instanceId, "go", `1`, { eventId: "e" });
      const events = await end(run, parkIn(60_000), [openWait("w", "go", null)]);
      expect(events.dueAt).not.toBeNull();
      const [again] = (await claim()).runs;
      if (again === undefined) throw new TypeError("the event was not seen");
      const known = again.events.at(-1)?.sequence ?? 0;
      const consumed = {
        kind: "eventConsumed",
        eventId: again.events[0]?.id ?? "",
        stepKey: "w",
      } as const;
      await scene().store.commit([
        {
          lease: again.lease,
          run: again.run,
          changes: [consumed],
          outcome: parkIn(60_000),
          diverged: [],
          clearsLostLeases: false,
          number: 1,
          renewLeaseMs: null,
          readsEvents: false,
          knownEventSequence: known,
          knownEndRequest: null,
        },
      ]);
      expect(await send(instanceId, "go", `1`, { eventId: "e" })).toMatchObject({
        kind: "applied",
        woke: false,
      });
      expect((await claim()).runs).toEqual([]);
    });

    test("S5-023 a repeat is accepted after the instance ended, a new event is not", async () => {
      const { start, end, send } = scene();
      const run = await start();
      const { instanceId } = run.run;
      await send(instanceId, "go", `1`, { eventId: "e" });
      await end(run, COMPLETE);
      expect(await send(instanceId, "go", `1`, { eventId: "e" })).toMatchObject({
        kind: "applied",
        woke: false,
        instance: { status: "complete" },
      });
      expect(await send(instanceId, "go", `1`, { eventId: "f" })).toMatchObject({
        kind: "terminal",
      });
    });

    test("S5-023 ids are per run and per instance", async () => {
      const { create, send, control, claim } = scene();
      const one = (await create()).instanceId;
      const two = (await create()).instanceId;
      for (const id of [one, two]) await send(id, "go", `"${id}"`, { eventId: "e" });
      await control(one, "restart");
      expect(await send(one, "go", `"new"`, { eventId: "e" })).toMatchObject({ kind: "applied" });
      const { runs } = await claim();
      const payloads = runs.flatMap((run) => run.events.map((event) => event.payload));
      expect(new Set(payloads)).toEqual(new Set([`"${two}"`, `"new"`]));
      expect(payloads).toHaveLength(2);
    });

    test("S5-023 a repeat with another row id may not claim the run", async () => {
      const { start, end, send, claim } = scene();
      const run = await start();
      await end(run, parkIn(60_000), [openWait("w", "go", null)]);
      const { instanceId } = run.run;
      const claims = (): { readonly token: string; readonly leaseMs: number } => ({
        token: newId(),
        leaseMs: 5000,
      });
      await send(instanceId, "go", `1`, { eventId: "e" });
      expect(await send(instanceId, "go", `1`, { eventId: "e", claim: claims() })).toMatchObject({
        kind: "applied",
        run: null,
        woke: false,
      });
      expect((await claim()).runs).toHaveLength(1);
    });
  });

  describe("commands that come again", () => {
    test("S5-023 a restart under one key happens once", async () => {
      const { create, control, load } = scene();
      const { instanceId } = await create();
      const keyed = { controlKey: "restart k1" };
      expect(await control(instanceId, "restart", keyed)).toMatchObject({
        kind: "applied",
        woke: true,
        instance: { runNumber: 2 },
      });
      expect(await control(instanceId, "restart", keyed)).toMatchObject({
        kind: "applied",
        woke: false,
        instance: { runNumber: 2 },
      });
      await control(instanceId, "restart", { controlKey: "restart k2" });
      await control(instanceId, "restart");
      expect((await load(instanceId)).runNumber).toBe(4);
    });

    test("S5-023 the key of a restart outlives what else is done to the instance", async () => {
      const { create, control, claimOne, end, load } = scene();
      const { instanceId } = await create();
      const keyed = { controlKey: "restart k" };
      await control(instanceId, "restart", keyed);
      await control(instanceId, "pause");
      await control(instanceId, "resume");
      await end(await claimOne(), COMPLETE);
      await control(instanceId, "restart", keyed);
      expect(await load(instanceId)).toMatchObject({ runNumber: 2, status: "complete" });
    });

    test("S5-023 a terminate that comes again under its key is not refused", async () => {
      const { create, control } = scene();
      const { instanceId } = await create();
      const keyed = { controlKey: "terminate k" };
      await control(instanceId, "terminate", keyed);
      expect(await control(instanceId, "terminate", keyed)).toMatchObject({
        kind: "applied",
        instance: { status: "terminated" },
      });
      expect(await control(instanceId, "terminate")).toMatchObject({ kind: "terminal" });
    });

    test.each(["pause", "resume", "terminate", "restart"] as const)(
      "S5-023 a %s meant for another run changes nothing",
      async (command) => {
        const { create, control, load, claim } = scene();
        const { instanceId } = await create();
        await control(instanceId, "restart");
        if (command === "resume") await control(instanceId, "pause");
        const before = await load(instanceId);
        for (const ifRunNumber of [1, 3])
          expect(await control(instanceId, command, { ifRunNumber })).toEqual({
            kind: "runNumberMismatch",
            instance: before,
          });
        expect(await load(instanceId)).toEqual(before);
        expect((await claim()).runs).toHaveLength(command === "resume" ? 0 : 1);
        const applied = await control(instanceId, command, { ifRunNumber: 2 });
        expect(applied.kind).toBe("applied");
        expect(await load(instanceId)).not.toEqual(before);
      },
    );

    test("S5-023 a repeated restart is known by its key before its run number is looked at", async () => {
      const { create, control, load } = scene();
      const { instanceId } = await create();
      const request = { controlKey: "restart k", ifRunNumber: 1 };
      await control(instanceId, "restart", request);
      expect(await control(instanceId, "restart", request)).toMatchObject({ kind: "applied" });
      expect((await load(instanceId)).runNumber).toBe(2);
    });
  });
}
