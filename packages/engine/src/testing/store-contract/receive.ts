/** Waits for several event types, and replies. */
import { describe, expect, test } from "vitest";
import { toWaitTypes } from "../../core/event-types.ts";
import { TRIMMED_EVENTS_KEPT_MS, type Change } from "../../core/model/change.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import type { LoadReplyResult } from "../../ports/reply.ts";
import { eventConsumed, eventReplied, newId, openWait, step } from "./builders.ts";
import { COMPLETE, commitOf, parkIn, type Scene, type SceneSource } from "./scene.ts";

const ORDER_OR_CANCEL = toWaitTypes(["order", "cancel"]);

const load = (
  { store }: Scene,
  { run }: ClaimedRun,
  eventId: string,
  runNumber: number | null = null,
): Promise<LoadReplyResult> => store.loadReply({ ...run, eventId, runNumber });

/** A run whose step `w` has taken an event with the id `q`. */
async function startAsked(scene: Scene): Promise<{ run: ClaimedRun; rowId: string }> {
  const run = await scene.start();
  await scene.send(run.run.instanceId, "ask", `1`, { eventId: "q" });
  const { events } = await scene.commitHeld(run);
  const rowId = events[0]?.id ?? "";
  await scene.commitHeld(run, {
    changes: [step("w", { type: "receive", result: "[]" }), eventConsumed(rowId, "w")],
  });
  return { run, rowId };
}

const answered = (rowId: string, reply: string): readonly Change[] => [
  step("w/reply", { type: "reply", result: null, settledOrder: 2 }),
  eventReplied(rowId, reply),
];

function describeTypes(source: SceneSource): void {
  describe("a wait for several types", () => {
    test.each(["order", "cancel"])("S6-014 is woken by an event of type %s", async (type) => {
      const scene = source();
      const run = await scene.start();
      await scene.end(run, parkIn(60_000), [openWait("w", ORDER_OR_CANCEL, { inMs: 60_000 })]);
      expect(await scene.send(run.run.instanceId, type)).toMatchObject({ woke: true });
      expect((await scene.claimOne()).open).toMatchObject([{ waitEventType: "cancel,order" }]);
    });

    test("S6-014 is woken by no part of a type, and by none of another", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.end(run, parkIn(60_000), [openWait("w", ORDER_OR_CANCEL, { inMs: 60_000 })]);
      for (const type of ["orde", "rder", "order-cancel", "cancelorder", "Order", "_rder"])
        expect(await scene.send(run.run.instanceId, type)).toMatchObject({ woke: false });
    });

    test.each(["order", "cancel"])(
      "S6-014 an event of type %s that came before the run was parked makes it due at once",
      async (type) => {
        const scene = source();
        const run = await scene.start();
        await scene.send(run.run.instanceId, type);
        const wait = openWait("w", ORDER_OR_CANCEL, { inMs: 60_000 });
        const { dueAt, now } = await scene.end(run, parkIn(60_000), [wait]);
        expect(dueAt).toBe(now);
      },
    );

    test("S6-014 an event of another type leaves it parked", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.send(run.run.instanceId, "rder");
      const wait = openWait("w", ORDER_OR_CANCEL, { inMs: 60_000 });
      const { dueAt, now } = await scene.end(run, parkIn(60_000), [wait]);
      expect(dueAt).toBe(now + 60_000);
    });

    test("S6-014 an event has the id that its sender gave it, in claims, commits and pages", async () => {
      const scene = source();
      const run = await scene.start();
      const { instanceId } = run.run;
      await scene.send(instanceId, "order", `1`, { eventId: "mine" });
      await scene.send(instanceId, "cancel");
      const expected = [{ eventId: "mine" }, { eventId: null }];
      expect((await scene.commitHeld(run)).events).toMatchObject(expected);
      const types = ["order", "cancel"];
      const page = await scene.store.loadEvents({ ...run.run, types, afterSequence: 0 });
      expect(page.events).toMatchObject(expected);
      await scene.end(run, { kind: "release" });
      expect((await scene.claimOne()).events).toMatchObject(expected);
    });
  });
}

function describeReplies(source: SceneSource): void {
  describe("a reply", () => {
    test("S6-014 is there with the commit that has it, for as long as the run is", async () => {
      const scene = source();
      const { run, rowId } = await startAsked(scene);
      expect(await load(scene, run, "q")).toEqual({ kind: "open", status: "running" });
      await scene.commitHeld(run, { changes: answered(rowId, `{"value":[1,"ü"]}`) });
      const reply = { kind: "answered", reply: `{"value":[1,"ü"]}` };
      expect(await load(scene, run, "q")).toEqual(reply);
      await scene.end(run, COMPLETE);
      expect(await load(scene, run, "q")).toEqual(reply);
    });

    test("S6-014 goes with the commit that takes the event, and with the run's last", async () => {
      const scene = source();
      const run = await scene.start();
      await scene.send(run.run.instanceId, "ask", `1`, { eventId: "q" });
      const rowId = (await scene.commitHeld(run)).events[0]?.id ?? "";
      const taken = step("w", { type: "receive", result: "[]" });
      await scene.end(run, COMPLETE, [taken, eventConsumed(rowId, "w"), ...answered(rowId, "{}")]);
      expect(await load(scene, run, "q")).toEqual({ kind: "answered", reply: "{}" });
    });

    test("S6-014 the first one stays", async () => {
      const scene = source();
      const { run, rowId } = await startAsked(scene);
      await scene.commitHeld(run, { changes: answered(rowId, `{"value":1}`) });
      await scene.commitHeld(run, { changes: answered(rowId, `{"value":2}`) });
      expect(await load(scene, run, "q")).toMatchObject({ reply: `{"value":1}` });
    });

    test("S6-014 of a runner that has lost its lease is none", async () => {
      const scene = source();
      const { run, rowId } = await startAsked(scene);
      await scene.clock.advance(60_001);
      await scene.claimOne();
      const result = await scene.commit(run, { changes: answered(rowId, `{"value":1}`) });
      expect(result.kind).toBe("conflict");
      expect(await load(scene, run, "q")).toMatchObject({ kind: "open" });
    });

    test("S6-014 to an event of another run changes nothing", async () => {
      const scene = source();
      const { run } = await startAsked(scene);
      const other = await startAsked(scene);
      await scene.commitHeld(run, { changes: answered(other.rowId, `{"value":1}`) });
      expect(await load(scene, other.run, "q")).toMatchObject({ kind: "open" });
    });

    test("S6-014 replies of several runs share a trip", async () => {
      const scene = source();
      const all = [await startAsked(scene), await startAsked(scene), await startAsked(scene)];
      const commits = all.map(({ run, rowId }, index) =>
        commitOf(run, { changes: answered(rowId, `{"value":${index}}`) }),
      );
      await scene.store.commit(commits);
      for (const [index, { run }] of all.entries())
        expect(await load(scene, run, "q")).toMatchObject({ reply: `{"value":${index}}` });
    });

    test("S6-014 will not come once the run has ended, or another has begun", async () => {
      const scene = source();
      const { run } = await startAsked(scene);
      await scene.end(run, COMPLETE);
      const { instanceId, runNumber } = run.run;
      expect(await load(scene, run, "q")).toEqual({ kind: "unanswered", status: "complete" });
      await scene.control(instanceId, "restart");
      expect(await load(scene, run, "q", runNumber)).toMatchObject({ kind: "unanswered" });
      expect(await load(scene, run, "q")).toEqual({ kind: "eventNotFound" });
    });

    test("S6-014 there is none to an event, or of an instance, that is not there", async () => {
      const scene = source();
      const { run } = await startAsked(scene);
      expect(await load(scene, run, "other")).toEqual({ kind: "eventNotFound" });
      const nobody = { ...run, run: { ...run.run, instanceId: `nobody-${newId()}` } };
      expect(await load(scene, nobody, "q")).toEqual({ kind: "notFound" });
    });

    test("S6-014 outlives the rows of its iteration by an hour", async () => {
      const scene = source();
      const { run, rowId } = await startAsked(scene);
      await scene.commitHeld(run, { changes: answered(rowId, `{"value":1}`) });
      const trim: Change = { kind: "stepsTrimmed", stepKeys: ["w", "w/reply"] };
      await scene.commitHeld(run, { changes: [trim], renewLeaseMs: 2 * TRIMMED_EVENTS_KEPT_MS });
      expect(await load(scene, run, "q")).toMatchObject({ kind: "answered" });
      await scene.clock.advance(TRIMMED_EVENTS_KEPT_MS + 1);
      await scene.commitHeld(run, { changes: [trim] });
      expect(await load(scene, run, "q")).toEqual({ kind: "eventNotFound" });
    });
  });
}

export function describeReceive(source: SceneSource): void {
  describeTypes(source);
  describeReplies(source);
}
