/** Waits for a topic that end, and runs that wait no more: what they get then. */
import { describe, expect, test } from "vitest";
import type { Change } from "../../core/model/change.ts";
import { COMPLETE, type SceneSource } from "./scene.ts";
import {
  deliverAll,
  emitAll,
  emitOf,
  emitted,
  FAR,
  newTopic,
  payloads,
  RETENTION,
  waiter,
  waitFor,
} from "./topic-scene.ts";

export function describeTopicWaits(source: SceneSource): void {
  describe("waits for a topic that end", () => {
    test("S6-015 a wait that has ended gets nothing, and what it was handed and did not take is nobody's", async () => {
      const scene = source();
      const topic = newTopic();
      const wait = waitFor(topic);
      const ended = { ...wait, version: 1, step: { ...wait.step, status: "cancelled" as const } };
      const closed: Change = { ...ended, step: { ...ended.step, settledOrder: 1 } };
      const run = await scene.start();
      await scene.commitHeld(run, { changes: [wait] });
      const left = await scene.start();
      const leftWait = waitFor(topic);
      await scene.commitHeld(left, { changes: [leftWait] });
      await emitAll(scene, topic, 1);
      await scene.commitHeld(run, { changes: [closed] });
      expect((await scene.history(run.run)).events.items).toEqual([]);
      await scene.end(run, COMPLETE);
      expect((await scene.history(left.run)).events.items).toHaveLength(1);
      expect(await scene.store.listWaiters({ topic, limit: 9 })).toEqual([]);
      await scene.end(left, COMPLETE);
    });

    test("S6-015 a wait that ends before the message is no waiter", async () => {
      const scene = source();
      const topic = newTopic();
      const wait = waitFor(topic);
      const run = await scene.start();
      await scene.commitHeld(run, { changes: [wait] });
      const timedOut = { ...wait.step, status: "errored" as const, settledOrder: 1 };
      await scene.commitHeld(run, { changes: [{ ...wait, version: 1, step: timedOut }] });
      expect((await scene.store.emit(emitOf(topic, 1))).due).toEqual([]);
      await scene.end(run, COMPLETE);
    });

    test("S6-015 a wait whose row goes with the commit that ends it is no waiter, and what it was handed is nobody's", async () => {
      const scene = source();
      const topic = newTopic();
      for (const isHanded of [false, true]) {
        const wait = waitFor(topic);
        const run = await scene.start();
        await scene.commitHeld(run, { changes: [wait] });
        if (isHanded) await emitAll(scene, topic, 1);
        const timedOut = { ...wait.step, status: "errored" as const, settledOrder: 1 };
        const trimmed: Change = { kind: "stepsTrimmed", stepKeys: [wait.step.stepKey] };
        await scene.commitHeld(run, {
          changes: [{ ...wait, version: 1, step: timedOut }, trimmed],
        });
        expect((await scene.history(run.run)).events.items).toEqual([]);
        await scene.end(run, COMPLETE);
      }
      expect((await scene.store.emit(emitOf(topic, 2))).due).toEqual([]);
    });

    test("S6-015 a run that was terminated, restarted or rewound does not wait any more", async () => {
      const scene = source();
      const topic = newTopic();
      const gone = await waiter(scene, topic);
      const anew = await waiter(scene, topic);
      await scene.control(gone.run.instanceId, "terminate");
      await scene.control(anew.run.instanceId, "restart");
      expect(await scene.store.listWaiters({ topic, limit: 9 })).toEqual([]);
      const result = await scene.store.emit(emitOf(topic, 1));
      const [first] = await deliverAll(scene, topic, result);
      expect(first?.woke).toEqual([]);
      const { runs } = await scene.claim();
      expect(runs).toMatchObject([{ run: { runNumber: 2 }, events: [] }]);
      expect((await scene.store.emit(emitOf(topic, 2))).due).toEqual([]);
    });

    test("S6-015 a paused run has its message when it is resumed; one that is held hears of it at its park", async () => {
      const scene = source();
      const topic = newTopic();
      const paused = await waiter(scene, topic);
      await scene.control(paused.run.instanceId, "pause");
      const held = await scene.start();
      await scene.commitHeld(held, { changes: [waitFor(topic)] });
      await emitAll(scene, topic, 1);
      expect((await scene.claim()).runs).toEqual([]);
      await scene.end(held, FAR);
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":1}`]);
      await scene.control(paused.run.instanceId, "resume");
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":1}`]);
    });

    test("S6-015 a wait looks behind a message: it gets the next one, also of the same instant, with its position", async () => {
      const scene = source();
      const topic = newTopic();
      const sender = await scene.start();
      const retention = { ...RETENTION, maxCount: 9 };
      const changes = [1, 2, 3].map((n) => Object.assign(emitted(topic, n), { retention }));
      await scene.commitHeld(sender, { changes });
      await scene.store.emit(emitOf(topic, 4, { message: "{}", retention }));
      for (const [after, payload] of [
        [0, `{"position":1,"payload":1}`],
        [1, `{"position":2,"payload":2}`],
        [2, `{"position":3,"payload":3}`],
        [3, `{"position":4}`],
      ] as const) {
        await waiter(scene, topic, { result: `"#${after}"` });
        const { events } = await scene.claimOne();
        expect(events.map((event) => event.payload)).toEqual([payload]);
      }
      await waiter(scene, topic, { result: `"#4"` });
      await waiter(scene, topic, { result: `"#900"` });
      expect((await scene.claim()).runs).toEqual([]);
      await emitAll(scene, topic, 5);
      const next = `{"position":5,"payload":5}`;
      const { runs } = await scene.claim();
      expect(runs.map(({ events }) => events[0]?.payload)).toEqual([next, next]);
    });

    test("S6-015 a message that the topic keeps no more is left out", async () => {
      const scene = source();
      const topic = newTopic();
      for (let n = 1; n <= 5; n += 1) await emitAll(scene, topic, n);
      await waiter(scene, topic, { result: `"#1"` });
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":3}`]);
    });
  });
}
