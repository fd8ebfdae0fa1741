/** Waits of all kinds: for time, events, topics, children, people. */
import { defineTopic, defineWorkflow, Loop, NonRetryableError } from "@escapement/engine";
import { expect } from "vitest";
import { CALLBACKS, HOUR_MS, define, key, wholeOf } from "./bodies.ts";
import type { Programs } from "./program.ts";

const NEWS = defineTopic({ name: "news" });

export const WAIT_PROGRAMS: Programs = {
  "sleeps, waits that time out and events that came before": () => ({
    workflow: define(async (step) => {
      const begunAt = step.now().getTime();
      await step.sleep("nap", "1 hour");
      await step.sleepUntil("until", begunAt + 3 * HOUR_MS);
      const none = await step.tryWaitForEvent("none", { type: "none", timeout: "1 hour" });
      const late = await step.try("late", (own) =>
        own.waitForEvent("none", { type: "none", timeout: "1 hour" }),
      );
      const first = await step.waitForEvent("first", { type: "e" });
      const second = await step.waitForEvent("second", { type: "e" });
      return [none, late.ok || late.kind, first.payload, second.payload];
    }),
    scenario: {
      drive: async (harness, instance) => {
        for (const payload of [1, 2]) await instance.sendEvent({ type: "e", payload });
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ output: [null, "timeout", 1, 2] });
      },
    },
  }),

  "batches of several types, replies and what is left for the next": () => ({
    workflow: define((step) =>
      step.loop("serve", {
        state: 0,
        commitEvery: 2,
        keep: 1,
        run: async (own, total: number) => {
          const events = await own.receive<number>("in", { types: ["add", "close"], count: 2 });
          for (const event of events) {
            if (event.type === "close") {
              event.reply("closed");
              const rest = await own.receive("rest", {
                types: ["add"],
                min: 3,
                count: 9,
                timeout: "1 hour",
              });
              const none = await own.receive("none", { types: ["add"], timeout: "1 hour" });
              return Loop.break([total, rest.map(({ payload }) => payload), none]);
            }
            total += event.payload;
            event.reply(total);
          }
          await own.do("work", key);
          return Loop.continue(total);
        },
      }),
    ),
    scenario: {
      drive: async (harness, instance) => {
        for (const payload of [1, 2, 3, 4])
          await instance.sendEvent({ type: "add", payload, eventId: `e-${payload}` });
        await harness.runUntilIdle();
        const { engine } = wholeOf(harness);
        const replies = ["e-1", "e-2", "e-3", "e-4"].map(
          async (id) => (await engine.getReply("w", instance.id, id)).reply,
        );
        expect(await Promise.all(replies)).toEqual([1, 3, 6, 10]);
        await instance.sendEvent({ type: "close" });
        await harness.runUntilIdle();
        for (const payload of [5, 6]) await instance.sendEvent({ type: "add", payload });
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ output: [10, [5, 6], []] });
      },
    },
  }),

  "messages of a topic, one to each branch, from outside and from a step": () => ({
    workflow: define(async (step) => {
      const joined = await step.join("j", {
        a: async (own) => (await own.waitForTopic("w", NEWS)).payload,
        b: async (own) => (await own.waitForTopic("w", NEWS)).payload,
        lost: (own) =>
          own.race("r", {
            topic: (lane) => lane.waitForTopic("w", NEWS),
            clock: (lane) => lane.sleep("nap", 1000),
          }),
      });
      await step.emit(NEWS, "own", { id: "once" });
      const own = await step.try("own", (inner) =>
        inner.waitForTopic("w", NEWS, { timeout: "1 hour" }),
      );
      return [joined.a, joined.b, joined.lost.winner, own.ok || own.kind];
    }),
    scenario: {
      engine: { topics: [NEWS] },
      drive: async (harness, instance) => {
        await harness.runThroughTime(HOUR_MS);
        const { engine } = wholeOf(harness);
        const waiters = await engine.listWaiters(NEWS, {});
        expect(waiters).toHaveLength(2);
        expect(await engine.emit(NEWS, "hi", { id: "1" })).toMatchObject({ delivered: 2 });
        expect(await engine.emit(NEWS, "hi", { id: "1" })).toMatchObject({ duplicate: true });
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ output: ["hi", "hi", "clock", "timeout"] });
      },
    },
  }),

  "callbacks that are used, used twice, forged and late": () => {
    const tokens = new Map<string, string>();
    return {
      workflow: define(async (step) => {
        const approval = await step.callback("approve", { timeout: "1 day" });
        const late = await step.callback("late", { timeout: "1 hour" });
        await step.do("mail", (context) => {
          tokens.set("approve", approval.token).set("late", late.token);
          return key(context);
        });
        const missed = await step.try("t", () => late.payload());
        return [await approval.payload(), missed.ok || missed.kind];
      }),
      scenario: {
        setup: () => tokens.clear(),
        engine: { callbacks: CALLBACKS },
        drive: async (harness, instance) => {
          await harness.runThroughTime(2 * HOUR_MS);
          const { engine } = wholeOf(harness);
          const use = (token: string | undefined, payload: unknown): Promise<unknown> =>
            engine.completeCallback(token ?? "", payload).then(
              () => "used",
              (error: { code?: string }) => error.code,
            );
          const approve = tokens.get("approve");
          expect(await use(tokens.get("late"), 1)).toBe("CALLBACK_LATE");
          expect(await use(`${approve}x`, 1)).toBe("CALLBACK_INVALID");
          expect(await use(approve, { by: "ada" })).toBe("used");
          expect(await use(approve, { by: "eve" })).toBe("CALLBACK_USED");
          await harness.runThroughTime();
          expect(await instance.status()).toMatchObject({ output: [{ by: "ada" }, "timeout"] });
        },
      },
    };
  },

  "children in a map, of which one fails and one is terminated by the end of a race": () => {
    const CHILD = defineWorkflow({ name: "child" }, async (event, step) => {
      const n = Number(event.payload);
      await step.do("work", key);
      await step.sleep("nap", n * HOUR_MS);
      if (n === 2) throw new NonRetryableError("no");
      return n * 10;
    });
    return {
      workflow: define(async (step) => {
        const ends = await step.map(
          "m",
          [1, 2, 3],
          (item, params) => item.invoke(CHILD, { params, id: `k${params}` }),
          { tolerate: 1, concurrency: 2 },
        );
        const { winner } = await step.race("r", {
          child: (lane) => lane.invoke(CHILD, { params: 99, id: "lost", onParentEnd: "terminate" }),
          clock: (lane) => lane.sleep("nap", "1 hour"),
        });
        return [ends.map((end) => (end.ok ? end.value : end.kind)), winner];
      }),
      scenario: {
        workflows: { CHILD },
        drive: async (harness, instance) => {
          await harness.runThroughTime();
          expect(await instance.status()).toMatchObject({ output: [[10, "failed", 30], "clock"] });
          expect(await childStatus(harness, "lost")).toBe("terminated");
        },
      },
    };
  },

  "progress from steps, bodies and branches, read from cursors": () => ({
    workflow: define(async (step) => {
      await step.progress("begun");
      await step.join("j", {
        a: async (own) => {
          await own.do("work", async ({ idempotencyKey, progress }) => {
            await progress({ idempotencyKey: idempotencyKey.length > 0 });
          });
        },
        b: async (own) => {
          await own.sleep("nap", "1 minute");
          void own.progress("b");
        },
      });
      void step.progress("end");
    }),
    scenario: {
      drive: async (harness, instance) => {
        await harness.runThroughTime();
        const read = async (after?: number): Promise<readonly unknown[]> => {
          const told: unknown[] = [];
          const from = after === undefined ? {} : { after };
          for await (const { sequence, value } of instance.stream(from)) {
            expect(sequence).toBeGreaterThan(after ?? 0);
            told.push(value);
          }
          return told;
        };
        const all = await read();
        // An attempt that was lost may have told, and so may the next one.
        const once = all.filter((value) => typeof value === "string");
        expect(once).toEqual(["begun", "b", "end"]);
        expect(all).toContainEqual({ idempotencyKey: true });
        expect(await read(1)).toEqual(all.slice(1));
        expect(await read(all.length)).toEqual([]);
      },
    },
  }),
};

const childStatus = async (harness: Parameters<typeof wholeOf>[0], id: string): Promise<string> =>
  (await wholeOf(harness).status("child", id)).status;
