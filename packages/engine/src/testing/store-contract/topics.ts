/** What stores keep of topics: each wait gets one message, the first after it began, whoever hands it on and how often. */
import { describe, expect, test } from "vitest";
import { TOPIC_CHUNK, TOPIC_PATIENCE_MS } from "../../core/topic.ts";
import type { Store } from "../../ports/store.ts";
import { eventConsumed, step } from "./builders.ts";
import { COMPLETE, commitOf, type SceneSource } from "./scene.ts";
import type { StoreCapabilities } from "./subject.ts";
import {
  claimTopic,
  deliverAll,
  emitAll,
  emitOf,
  emitted,
  FAR,
  idsOf,
  newTopic,
  payloads,
  RETENTION,
  startMany,
  waiter,
  waitFor,
  withoutPosition,
} from "./topic-scene.ts";

export function describeTopics(source: SceneSource, capabilities: StoreCapabilities): void {
  describe("topics", () => {
    test("S6-015 S4-005 S4-011 a message is handed to every run that waits, once, and makes it due", async () => {
      const scene = source();
      const topic = newTopic();
      for (let n = 0; n < 3; n += 1) await waiter(scene, topic);
      await waiter(scene, newTopic());
      const result = await scene.store.emit(emitOf(topic, 1));
      expect(result).toMatchObject({ kind: "emitted", sequence: 1 });
      expect(result.due).toHaveLength(3);
      const [first] = await deliverAll(scene, topic, result);
      expect(first?.woke).toHaveLength(3);
      expect((await scene.store.deliver({ topic, waitIds: idsOf(result), upTo: 1 })).woke).toEqual(
        [],
      );
      const { runs } = await scene.claim();
      expect(payloads(runs)).toEqual([`{"payload":1}`, `{"payload":1}`, `{"payload":1}`]);
      expect(runs.map(({ events }) => events[0]?.eventId)).toEqual([
        "topic w",
        "topic w",
        "topic w",
      ]);
    });

    test("S6-015 a message that nobody waits for makes no task, and nobody who comes later gets it", async () => {
      const scene = source();
      const topic = newTopic();
      expect(await scene.store.emit(emitOf(topic, 1))).toEqual({
        kind: "emitted",
        sequence: 1,
        due: [],
      });
      await waiter(scene, topic);
      expect(await claimTopic(scene, topic)).toBe(undefined);
      expect((await scene.claim()).runs).toEqual([]);
      await emitAll(scene, topic, 2);
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":2}`]);
    });

    test("S6-015 an id that the topic has stores nothing; a call that comes twice is one", async () => {
      const scene = source();
      const topic = newTopic();
      const request = emitOf(topic, 1, { messageId: "m" });
      await scene.store.emit(request);
      expect(await scene.store.emit(request)).toMatchObject({ kind: "emitted", sequence: 1 });
      await waiter(scene, topic);
      const again = emitOf(topic, 1, { messageId: "m" });
      expect(await scene.store.emit(again)).toEqual({ kind: "duplicate", sequence: 1, due: [] });
      expect((await scene.claim()).runs).toEqual([]);
      const other = newTopic();
      expect(await scene.store.emit(emitOf(other, 1, { messageId: "m" }))).toMatchObject({
        kind: "emitted",
      });
    });

    test("S6-015 an id that the topic has with another message is a conflict, full or not, and stores nothing", async () => {
      const scene = source();
      const topic = newTopic();
      await waiter(scene, topic);
      const first = await scene.store.emit(emitOf(topic, 1, { messageId: "m" }));
      const other = (): Promise<unknown> =>
        scene.store.emit(emitOf(topic, 2, { messageId: "m", message: `{"payload":"1 "}` }));
      expect(await other()).toMatchObject({ kind: "conflict", sequence: 1 });
      for (let n = 2; n <= 2 * RETENTION.maxCount; n += 1) await scene.store.emit(emitOf(topic, n));
      expect(await scene.store.emit(emitOf(topic, 99))).toMatchObject({ kind: "full" });
      expect(await other()).toMatchObject({ kind: "conflict" });
      expect(await scene.store.emit(emitOf(topic, 1, { messageId: "m" }))).toMatchObject({
        kind: "duplicate",
        sequence: 2 * RETENTION.maxCount,
      });
      await deliverAll(scene, topic, first);
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":1}`]);
    });

    test("S6-015 a wait looks back to an instant: it gets the first message since, and is due at once", async () => {
      const scene = source();
      const topic = newTopic();
      await scene.store.emit(emitOf(topic, 1));
      await scene.clock.advance(1000);
      const sinceAt = await scene.clock.now();
      await scene.store.emit(emitOf(topic, 2));
      await scene.clock.advance(1000);
      await scene.store.emit(emitOf(topic, 3));
      await waiter(scene, topic, { result: String(sinceAt + 5000) });
      await waiter(scene, topic, { result: String(sinceAt) });
      const { runs } = await scene.claim();
      expect(payloads(runs)).toEqual([`{"payload":2}`]);
      expect(runs[0]?.events[0]?.createdAt).toBe(sinceAt);
    });

    test("S6-015 messages come in the order in which they were emitted: a wait gets the first after it", async () => {
      const scene = source();
      const topic = newTopic();
      await waiter(scene, topic);
      const first = await scene.store.emit(emitOf(topic, 1));
      await waiter(scene, topic);
      const second = await scene.store.emit(emitOf(topic, 2));
      await waiter(scene, topic);
      await deliverAll(scene, topic, second);
      await deliverAll(scene, topic, first);
      const got = new Set(payloads((await scene.claim()).runs));
      expect(got).toEqual(new Set([`{"payload":1}`, `{"payload":2}`]));
    });

    test("S6-015 S4-034 what an emitter has left undone is found by a claim, and ends with the last wait", async () => {
      const scene = source();
      const topic = newTopic();
      for (let n = 0; n < 2; n += 1) await waiter(scene, topic);
      await scene.store.emit(emitOf(topic, 1));
      expect(await claimTopic(scene, topic)).toBe(undefined);
      await scene.clock.advance(TOPIC_PATIENCE_MS);
      const claimed = await claimTopic(scene, topic);
      expect(claimed).toMatchObject({ run: { instanceId: topic, runNumber: 1 }, isWhole: true });
      const { due } = await scene.store.deliver({ topic, waitIds: [], upTo: 1 });
      expect(due).toHaveLength(2);
      await scene.store.deliver({ topic, waitIds: idsOf({ due }), upTo: 1 });
      await scene.clock.advance(TOPIC_PATIENCE_MS * 10);
      expect(await claimTopic(scene, topic)).toBe(undefined);
      expect(payloads((await scene.claim()).runs)).toHaveLength(2);
    });

    test("S6-015 S4-034 who has begun to hand on gives the rest back, and another one goes on at once", async () => {
      const scene = source();
      const topic = newTopic();
      await waiter(scene, topic);
      await scene.store.emit(emitOf(topic, 1));
      await scene.clock.advance(TOPIC_PATIENCE_MS);
      const claimed = await claimTopic(scene, topic);
      expect(await claimTopic(scene, topic)).toBe(undefined);
      if (claimed !== undefined) await scene.commit(claimed, { outcome: { kind: "release" } });
      expect(await claimTopic(scene, topic)).toMatchObject({ run: { instanceId: topic } });
      const found = await scene.store.deliver({ topic, waitIds: [], upTo: 1 });
      await scene.store.deliver({ topic, waitIds: idsOf(found), upTo: 1 });
    });

    test("S6-015 who hands on an earlier message leaves the task of a later one", async () => {
      const scene = source();
      const topic = newTopic();
      await waiter(scene, topic);
      const first = await scene.store.emit(emitOf(topic, 1));
      await waiter(scene, topic);
      await scene.store.emit(emitOf(topic, 2));
      await deliverAll(scene, topic, first);
      await scene.clock.advance(TOPIC_PATIENCE_MS);
      expect(await claimTopic(scene, topic)).toMatchObject({ run: { runNumber: 2 } });
      await scene.store.deliver({
        topic,
        upTo: 2,
        waitIds: idsOf(await scene.store.deliver({ topic, waitIds: [], upTo: 2 })),
      });
    });

    test("S6-015 a chunk has no more waits than that, and the next begins where it ends", async () => {
      const scene = source();
      const topic = newTopic();
      const runs = await startMany(scene, TOPIC_CHUNK + 3);
      const commits = runs.map((run) => commitOf(run, { outcome: FAR, changes: [waitFor(topic)] }));
      for (const result of await scene.store.commit(commits)) expect(result.kind).toBe("committed");
      const result = await scene.store.emit(emitOf(topic, 1));
      const chunks = await deliverAll(scene, topic, result);
      expect(chunks.map(({ woke }) => woke.length)).toEqual([TOPIC_CHUNK, 3]);
      let claimed = 0;
      for (let more = true; more;) {
        const { runs: some } = await scene.claim();
        claimed += payloads(some).length;
        more = some.length > 0;
      }
      expect(claimed).toBe(TOPIC_CHUNK + 3);
    });

    test("S6-015 a message that a commit carries is emitted with it, once, and by nobody whose lease is lost", async () => {
      const scene = source();
      const topic = newTopic();
      await waiter(scene, topic);
      const run = await scene.start();
      const commit = commitOf(run, { changes: [step("e", { type: "emit" }), emitted(topic, 1)] });
      await scene.store.commit([commit]);
      await scene.store.commit([{ ...commit, isRepeat: true }]);
      await scene.end(run, COMPLETE);
      expect(await scene.commit(run, { changes: [emitted(topic, 2)] })).toEqual({
        kind: "conflict",
      });
      expect(await claimTopic(scene, topic)).toMatchObject({ run: { runNumber: 1 } });
      const found = await scene.store.deliver({ topic, waitIds: [], upTo: 1 });
      await scene.store.deliver({ topic, waitIds: idsOf(found), upTo: 1 });
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":1}`]);
    });

    test("S6-015 a runner whose lease another one holds emits nothing", async () => {
      const scene = source();
      const topic = newTopic();
      await waiter(scene, topic);
      const late = await scene.start();
      await scene.end(late, { kind: "release" });
      const run = await scene.claimOne();
      expect(await scene.commit(late, { changes: [emitted(topic, 1)] })).toEqual({
        kind: "conflict",
      });
      expect(await claimTopic(scene, topic)).toBe(undefined);
      expect(await scene.store.emit(emitOf(topic, 2))).toMatchObject({ sequence: 1 });
      await scene.end(run, COMPLETE);
    });

    test("S6-015 a run that emits and then waits in one commit does not get its own message", async () => {
      const scene = source();
      const topic = newTopic();
      const run = await scene.start();
      await scene.end(run, FAR, [step("e", { type: "emit" }), waitFor(topic), emitted(topic, 1)]);
      expect(await claimTopic(scene, topic)).toBe(undefined);
      await emitAll(scene, topic, 2);
      expect(payloads((await scene.claim()).runs)).toEqual([`{"payload":2}`]);
    });

    test("S6-015 a commit of a wait that comes late opens none, and one that comes twice moves none", async () => {
      const scene = source();
      const topic = newTopic();
      const run = await scene.start();
      const wait = waitFor(topic);
      const opening = commitOf(run, { changes: [wait] });
      await scene.store.commit([opening]);
      const result = await scene.store.emit(emitOf(topic, 1));
      await scene.store.commit([{ ...opening, isRepeat: true }]);
      await deliverAll(scene, topic, result);
      await scene.store.commit([{ ...opening, isRepeat: true }]);
      await emitAll(scene, topic, 2);
      const { items } = (await scene.history(run.run)).events;
      expect(items.map(({ payload }) => withoutPosition(payload))).toEqual([`{"payload":1}`]);
      const [event] = items;
      const taken = { ...wait.step, status: "completed" as const, settledOrder: 1 };
      await scene.commitHeld(run, {
        changes: [{ ...wait, version: 1, step: taken }, eventConsumed(event?.id ?? "", "w")],
      });
      await scene.store.commit([{ ...opening, isRepeat: true }]);
      expect((await scene.store.emit(emitOf(topic, 3))).due).toEqual([]);
      await scene.end(run, COMPLETE);
    });

    const several = capabilities.severalStores === true ? test : test.skip;
    several(
      "S6-015 processes that emit, begin to wait and hand on at once: each wait gets one message",
      async () => {
        const scene = source();
        const other = (await scene.fixture.openAnother?.()) ?? scene.store;
        const topic = newTopic();
        const runs = await startMany(scene, 60);
        const stores = [scene.store, other];
        const parks = runs.map((run, index) =>
          stores[index % 2]?.commit([commitOf(run, { outcome: FAR, changes: [waitFor(topic)] })]),
        );
        const emitTo = async (store: Store, n: number): Promise<void> => {
          const retention = { ...RETENTION, maxCount: 100 };
          await deliverAll({ store }, topic, await store.emit(emitOf(topic, n, { retention })));
        };
        const emits = Array.from({ length: 12 }, (_, n) => emitTo(stores[n % 2] ?? scene.store, n));
        await Promise.all([...parks, ...emits]);
        // Whoever began to wait after the last of them waits for one more.
        await emitTo(scene.store, 99);
        const taken: string[] = [];
        for (let more = true; more;) {
          const { runs: some } = await scene.claim();
          taken.push(...some.map(({ run, events }) => `${run.instanceId} ${events.length}`));
          more = some.length > 0;
        }
        expect(taken.toSorted()).toEqual(runs.map(({ run }) => `${run.instanceId} 1`).toSorted());
        if (other !== scene.store) await other.close();
      },
    );
  });
}
