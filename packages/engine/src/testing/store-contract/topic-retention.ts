/** What topics keep of their messages, and who is told to wait for them. */
import { describe, expect, test } from "vitest";
import type { SceneSource } from "./scene.ts";
import { emitAll, emitOf, idsOf, newTopic, payloads, RETENTION, waiter } from "./topic-scene.ts";

export function describeTopicRetention(source: SceneSource): void {
  describe("what topics keep", () => {
    test("S6-015 a topic keeps as many messages as it may, and those that a wait has yet to get", async () => {
      const scene = source();
      const topic = newTopic();
      const since = String(await scene.clock.now());
      await waiter(scene, topic);
      for (let n = 1; n <= 5; n += 1) await scene.store.emit(emitOf(topic, n));
      const { due } = await scene.store.deliver({ topic, waitIds: [], upTo: 5 });
      await scene.store.deliver({ topic, waitIds: idsOf({ due }), upTo: 5 });
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":1}`]);
      await scene.store.emit(emitOf(topic, 6));
      await waiter(scene, topic, { result: since });
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":4}`]);
      await scene.clock.advance(RETENTION.maxAgeMs + 1);
      await scene.store.emit(emitOf(topic, 7));
      await waiter(scene, topic, { result: since });
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":7}`]);
    });

    test("S6-015 an id whose message the topic no longer keeps is free again", async () => {
      const scene = source();
      const topic = newTopic();
      const emit = (n: number): Promise<unknown> =>
        scene.store.emit(emitOf(topic, n, { messageId: "m" }));
      await emit(1);
      expect(await emit(2)).toMatchObject({ kind: "conflict" });
      for (let n = 0; n < RETENTION.maxCount; n += 1) await scene.store.emit(emitOf(topic, n));
      expect(await emit(2)).toMatchObject({ kind: "emitted", sequence: RETENTION.maxCount + 2 });
      expect(await emit(1)).toMatchObject({ kind: "conflict" });
    });

    test("S6-015 bytes of messages are bounded too", async () => {
      const scene = source();
      const topic = newTopic();
      const since = String(await scene.clock.now());
      const retention = { ...RETENTION, maxBytes: 30 };
      for (let n = 1; n <= 3; n += 1) await scene.store.emit(emitOf(topic, n, { retention }));
      await waiter(scene, topic, { result: since });
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":2}`]);
    });

    test("S6-015 while nobody hands on, a topic takes twice as many messages as it keeps, and no more", async () => {
      const scene = source();
      const topic = newTopic();
      await waiter(scene, topic);
      const last = 2 * RETENTION.maxCount;
      for (let n = 1; n <= last; n += 1) await scene.store.emit(emitOf(topic, n));
      expect(await scene.store.emit(emitOf(topic, 99))).toMatchObject({
        kind: "full",
        sequence: last,
      });
      const { due } = await scene.store.deliver({ topic, waitIds: [], upTo: last });
      await scene.store.deliver({ topic, waitIds: idsOf({ due }), upTo: last });
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":1}`]);
      expect(await scene.store.emit(emitOf(topic, 100))).toMatchObject({
        kind: "emitted",
        sequence: last + 1,
      });
    });

    test("S4-008 runs that wait for a topic are listed, as many as asked for", async () => {
      const scene = source();
      const topic = newTopic();
      const first = await waiter(scene, topic, { wake: { inMs: 1000 } });
      const second = await waiter(scene, topic);
      const now = await scene.clock.now();
      expect(await scene.store.listWaiters({ topic, limit: 9 })).toEqual(
        expect.arrayContaining([
          { ...first.run, stepKey: "w", wakeAt: now + 1000 },
          { ...second.run, stepKey: "w", wakeAt: null },
        ]),
      );
      expect(await scene.store.listWaiters({ topic, limit: 1 })).toHaveLength(1);
      await emitAll(scene, topic, 1);
      expect(await scene.store.listWaiters({ topic, limit: 9 })).toEqual([]);
      await scene.claim();
    });
  });
}
