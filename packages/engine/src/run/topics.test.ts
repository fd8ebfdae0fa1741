/** Topics in workflows: every waiting run gets a message once, whatever dies when. */
import { describe, expect, test } from "vitest";
import { Loop } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createFaultStore } from "../testing/fault-store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { placed, anything, topics, type Author, define, createWaiters } from "./testing-topics.ts";

interface Followed {
  readonly since: Date | string;
  readonly seen: readonly number[];
}

/** Takes this many messages, one after another. */
const follow =
  (count: number): Author =>
  (step, _, at) =>
    step.loop<Followed, readonly number[]>("l", {
      state: { since: at, seen: [] },
      commitEvery: 1,
      keep: 0,
      run: async (own, { since, seen: before }) => {
        const { payload, position } = await own.waitForTopic("wait", placed, { since });
        const seen = [...before, payload.n];
        return seen.length === count ? Loop.break(seen) : Loop.continue({ since: position, seen });
      },
    });

describe("S6-015 topics", () => {
  test("S6-015 S4-005 S4-011 S4-050 a message goes to every run that waits, once, with its payload, instant and id", async () => {
    const { engine, outputs } = await createWaiters(
      async (step) => {
        const { payload, timestamp, topic, id } = await step.waitForTopic("wait", placed);
        return { payload, isDate: timestamp instanceof Date, topic, id };
      },
      ["a", "b", "c"],
    );
    const emitted = await engine.emit(placed, { n: 1 }, { id: "m" });
    expect(emitted).toEqual({ duplicate: false, delivered: 3 });
    const told = { payload: { n: 1 }, isDate: true, topic: "placed", id: "m" };
    expect(await outputs()).toEqual([told, told, told]);
    expect(await engine.emit(placed, { n: 1 }, { id: "m" })).toEqual({
      duplicate: true,
      delivered: 0,
    });
    await expect(engine.emit(placed, { n: 2 }, { id: "m" })).rejects.toMatchObject({
      code: "EVENT_ID_CONFLICT",
      details: { topic: "placed", messageId: "m" },
    });
  });

  test("S6-015 values of every kind come as they were, and undefined is a message too", async () => {
    const { engine, outputs } = await createWaiters(async (step) => {
      const first = await step.waitForTopic<{ at: Date }>("first", "anything");
      const second = await step.waitForTopic("second", anything);
      return [first.payload.at instanceof Date, second.payload, "payload" in second];
    });
    await engine.emit(anything, { at: new Date(5) });
    await outputs();
    await engine.emit(anything);
    expect(await outputs()).toEqual([[true, undefined, true]]);
  });

  test("S6-015 late subscribers get what since says: nothing from before, or what the topic keeps", async () => {
    const { engine, harness, outputs } = await createWaiters(
      async (step, _, at) => {
        await step.sleep("first", "1 hour");
        const since = await step.waitForTopic("since", placed, { since: at });
        const now = await step.waitForTopic("now", placed);
        return [since.payload.n, now.payload.n];
      },
      ["x", "y"],
    );
    await engine.emit(placed, { n: 1 });
    await engine.emit(placed, { n: 2 });
    await harness.clock.advance(3_600_000);
    expect(await outputs()).toEqual(["waiting", "waiting"]);
    await engine.emit(placed, { n: 3 });
    expect(await outputs()).toEqual([
      [1, 3],
      [1, 3],
    ]);
  });

  test("S6-015 of two waits of one run each gets the message that is its own", async () => {
    const { engine, harness, outputs } = await createWaiters(async (step, _, at) => {
      await step.sleep("first", "1 hour");
      const both = await step.join("both", {
        now: (inner) => inner.waitForTopic("now", placed),
        since: (inner) => inner.waitForTopic("since", placed, { since: at }),
      });
      return [both.now.payload.n, both.since.payload.n];
    });
    await engine.emit(placed, { n: 1 });
    await harness.clock.advance(3_600_000);
    expect(await outputs()).toEqual(["waiting"]);
    await engine.emit(placed, { n: 2 });
    expect(await outputs()).toEqual([[2, 1]]);
  });

  test("S6-015 a wait times out as one for an event does", async () => {
    const { harness, outputs } = await createWaiters(async (step) => {
      const told = await step.try("try", (inner) =>
        inner.waitForTopic("wait", placed, { timeout: "1 minute" }),
      );
      return told.ok ? "told" : told.kind;
    });
    await harness.clock.advance(60_000);
    expect(await outputs()).toEqual(["timeout"]);
    expect(await harness.engine.listWaiters(placed)).toEqual([]);
  });

  test("S6-015 the wait of a race that lost is closed: its message is for no other", async () => {
    const { engine, harness, outputs } = await createWaiters(async (step) => {
      const { winner } = await step.race("race", {
        topic: (inner) => inner.waitForTopic("wait", placed),
        time: (inner) => inner.sleep("sleep", "1 minute"),
      });
      const { payload } = await step.waitForTopic("later", placed);
      return [winner, payload.n];
    });
    await harness.clock.advance(60_000);
    expect(await outputs()).toEqual(["waiting"]);
    expect(await engine.listWaiters(placed)).toHaveLength(1);
    await engine.emit(placed, { n: 7 });
    expect(await outputs()).toEqual([["time", 7]]);
  });

  test("S6-015 a loop takes each message once, in order", async () => {
    const { engine, outputs } = await createWaiters(async (step, _, at) => {
      const seen: number[] = [];
      let since = at;
      for (let n = 0; n < 3; n += 1) {
        const message = await step.waitForTopic("wait", placed, { since });
        seen.push(message.payload.n);
        since = new Date(message.timestamp.getTime() + 1);
      }
      return seen;
    });
    for (let n = 0; n < 3; n += 1) {
      await engine.emit(placed, { n });
      await outputs();
    }
    expect(await outputs()).toEqual([[0, 1, 2]]);
  });

  test("S6-015 a loop by positions takes every message, in order, however many come in one millisecond", async () => {
    const count = 120;
    const { harness, outputs } = await createWaiters(follow(count));
    for (let n = 0; n < count; n += 1) {
      await harness.engine.emit(placed, { n });
      if (n % 50 === 25) harness.restart();
    }
    expect(await outputs()).toEqual([Array.from({ length: count }, (_, n) => n)]);
  });

  test("S6-015 a loop by positions takes each message once, whichever call its process dies at", async () => {
    for (const isApplied of [true, false])
      for (let killAt = 1, isReached = true; isReached; killAt += 1) {
        const time = createFakeTime();
        let calls = 0;
        let kill = (): void => {};
        const killed = new Promise<void>((resolve) => (kill = resolve));
        const store = createFaultStore(createMemoryStore({ now: time.now }), ({ verb }) => {
          const isRunners = verb === "claim" || verb === "commit";
          if (!isRunners || (calls += 1) !== killAt) return "none";
          harness.restart();
          kill();
          return isApplied ? "none" : "before";
        });
        const harness = createHarness({
          workflows: { W: define(follow(3)) },
          topics,
          store: { store, clock: time },
        });
        // A killed process answers nothing.
        const orKilled = (call: () => Promise<unknown>): Promise<unknown> =>
          calls >= killAt ? call() : Promise.race([call(), killed]);
        await orKilled(() => harness.workflows.W.create({ id: "x" }));
        for (let n = 0; n < 3; n += 1)
          await orKilled(() => harness.engine.emit(placed, { n }, { id: `m${n}` }));
        for (let n = 0; n < 8; n += 1) {
          await orKilled(() => harness.tick());
          await harness.clock.advance(60_000);
        }
        const { output } = await harness.status("w", "x");
        expect(output, `killed at ${killAt}, applied ${isApplied}`).toEqual([0, 1, 2]);
        isReached = calls >= killAt;
      }
  });

  test("S6-015 history shows what a run waits for", async () => {
    const { engine } = await createWaiters((step) => step.waitForTopic("wait", placed));
    const { steps } = await engine.listHistory("w", "x", {});
    expect(steps).toMatchObject([
      { type: "waitForTopic", status: "waiting", waitEventType: "topic placed" },
    ]);
  });

  test("S6-015 a process that dies at any call of emitter and runner: each wait is told once", async () => {
    const author: Author = async (step, params: { readonly emits: boolean } | undefined) => {
      if (params?.emits === true) {
        await step.emit(placed, { n: 1 });
        return step.do("after", () => 1);
      }
      const first = await step.waitForTopic("first", placed);
      const second = await step.waitForTopic("second", placed);
      return [first.payload.n, second.payload.n];
    };
    for (const isApplied of [true, false])
      for (let killAt = 1, isReached = true; isReached; killAt += 1) {
        const time = createFakeTime();
        let calls = 0;
        let isArmed = false;
        let kill = (): void => {};
        const killed = new Promise<void>((resolve) => (kill = resolve));
        const store = createFaultStore(createMemoryStore({ now: time.now }), ({ verb }) => {
          if (!isArmed || verb === "now" || (calls += 1) !== killAt) return "none";
          harness.restart();
          kill();
          return isApplied ? "none" : "before";
        });
        const harness = createHarness({
          workflows: { W: define(author) },
          topics,
          store: { store, clock: time },
        });
        for (const id of ["x", "y", "z"]) await harness.workflows.W.create({ id });
        await harness.runUntilIdle();
        isArmed = true;
        // A killed process answers nothing.
        const orKilled = (call: () => Promise<unknown>): Promise<unknown> => {
          const isDead = calls >= killAt;
          const answer = call().catch(() => undefined);
          return isDead ? answer : Promise.race([answer, killed]);
        };
        const settle = async (): Promise<void> => {
          for (let n = 0; n < 4; n += 1) {
            await orKilled(() => harness.tick());
            await harness.clock.advance(30_000);
          }
        };
        // The emitter repeats its call until it gets an answer.
        const emit = async (n: number): Promise<void> => {
          await orKilled(() => harness.engine.emit(placed, { n }, { id: `m${n}` }));
          await orKilled(() => harness.engine.emit(placed, { n }, { id: `m${n}` }));
        };
        await emit(0);
        await settle();
        await orKilled(() => harness.workflows.W.create({ id: "e", params: { emits: true } }));
        await orKilled(() => harness.workflows.W.create({ id: "e", params: { emits: true } }));
        await settle();
        await settle();
        isArmed = false;
        const outputs = ["x", "y", "z"].map(async (id) => (await harness.status("w", id)).output);
        expect(await Promise.all(outputs), `killed at ${killAt}, applied ${isApplied}`).toEqual([
          [0, 1],
          [0, 1],
          [0, 1],
        ]);
        isReached = calls >= killAt;
      }
  });
});
