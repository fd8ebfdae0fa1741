/** Scopes in one another. */
import { JoinError, Loop, NonRetryableError } from "@escapement/engine";
import { expect } from "vitest";
import { CALLBACKS, HOUR_MS, define, failing, key, wholeOf } from "./bodies.ts";
import type { Programs } from "./program.ts";

const ONCE = { retries: { limit: 0, delay: 0 } } as const;

export const SCOPE_PROGRAMS: Programs = {
  "branches of a join that race, sleep, are tried again and fail": () => ({
    workflow: define(async (step) => {
      const joined = await step.join("all", {
        raced: (own) =>
          own.race("r", {
            event: async (lane) => (await lane.waitForEvent("e", { type: "e" })).payload,
            clock: (lane) => lane.sleep("nap", "1 hour"),
          }),
        plain: async (own) => {
          await own.do("a", key);
          await own.sleep("nap", "10 minutes");
          await own.do("b", key);
          return "plain";
        },
        tried: (own) =>
          own.tryDo("fails", { retries: { limit: 1, delay: "1 minute" } }, failing(9)),
        again: (own) => own.do("twice", { retries: { limit: 3, delay: "1 minute" } }, failing(2)),
      });
      const failed = await step
        .join("failing", {
          bad: (own) => own.do("bad", ONCE, failing(9)),
          good: (own) => own.sleep("nap", "1 minute"),
        })
        .catch((error: unknown) => (error instanceof JoinError ? Object.keys(error.errors) : null));
      const { payload } = await step.waitForEvent("later", { type: "e" });
      const { raced, plain, tried, again } = joined;
      return [raced.winner, plain, tried.ok || tried.kind, again, failed, payload];
    }),
    scenario: {
      drive: async (harness, instance) => {
        await harness.runThroughTime(2 * HOUR_MS);
        await instance.sendEvent({ type: "e", payload: "left" });
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({
          output: ["clock", "plain", "exhausted", "at last", ["bad"], "left"],
        });
      },
    },
  }),

  "a race of joins that wait for events, callbacks and clocks": () => {
    const tokens = new Set<string>();
    return {
      workflow: define(async (step) => {
        const { winner, value } = await step.race("r", {
          loses: (own) =>
            own.join("j", {
              event: (lane) => lane.waitForEvent("e", { type: "e", timeout: "9 days" }),
              never: (lane) => lane.waitForEvent("never", { type: "never", timeout: "9 days" }),
            }),
          wins: (own) =>
            own.join("j", {
              callback: async (lane) => {
                const { token, payload } = await lane.callback("c", { timeout: "9 days" });
                tokens.add(token);
                return payload();
              },
              work: (lane) => lane.map("m", [1, 2], (item) => item.do("work", key)),
            }),
          fails: (own) => own.do("bad", ONCE, failing(9)),
        });
        const left = await step.tryWaitForEvent("e", { type: "never", timeout: "1 hour" });
        return [winner, winner === "wins" && value.callback, left?.payload];
      }),
      scenario: {
        setup: () => tokens.clear(),
        engine: { callbacks: CALLBACKS },
        drive: async (harness, instance) => {
          await instance.sendEvent({ type: "e", payload: "taken" });
          await harness.runThroughTime(HOUR_MS);
          const [token = ""] = tokens;
          await wholeOf(harness).engine.completeCallback(token, "called back");
          await harness.runUntilIdle();
          await instance.sendEvent({ type: "never", payload: "left" });
          await harness.runThroughTime();
          expect(await instance.status()).toMatchObject({
            output: ["wins", "called back", "left"],
          });
        },
      },
    };
  },

  "a loop that trims joins, races and maps in its iterations": () => ({
    workflow: define((step) =>
      step.loop("l", {
        state: { sum: 0 },
        commitEvery: 3,
        keep: 2,
        run: async (own, { sum }, iteration) => {
          const { a, m } = await own.join("j", {
            a: (lane) => lane.do("a", key).then(() => 1),
            m: (lane) => lane.map("m", [1, 2, 3], (item, n) => item.do("n", key).then(() => n)),
          });
          await own.race("r", {
            nap: (lane) => lane.sleep("nap", "1 minute"),
            never: (lane) => lane.waitForEvent("never", { type: "never" }),
          });
          const inner = await own.loop("inner", {
            state: 0,
            commitEvery: 1,
            keep: 0,
            run: async (deep, n) => {
              await deep.do("deep", key);
              return n === 2 ? Loop.break(n) : Loop.continue(n + 1);
            },
          });
          const next = sum + a + m.length + inner;
          return iteration === 10 ? Loop.break(next) : Loop.continue({ sum: next });
        },
      }),
    ),
    scenario: {
      drive: async (harness, instance) => {
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ output: 66 });
        const { steps } = await wholeOf(harness).history("w", instance.id);
        const iterations = steps.map(({ stepKey }) => /^l\/~(\d+)/.exec(stepKey)?.[1] ?? "-");
        expect(new Set(iterations).has("0")).toBe(false);
        expect(new Set(iterations).has("10")).toBe(true);
      },
    },
  }),

  "a deploy in the middle: a version that runs keep, steps that are gone": () => {
    let isNew = false;
    return {
      changesCode: true,
      workflow: define(async (step) => {
        if (isNew) {
          step.removed("first", "do");
          step.removed("scope", "join");
        } else {
          await step.do("first", key);
          await step.join("scope", { a: (own) => own.do("a", key) });
        }
        const order = isNew ? step.version("order", 2) : 1;
        if (order === 1) await step.do("pay", key);
        await step.waitForEvent("go", { type: "go" });
        const then = isNew ? step.version("then", 2) : 1;
        await step.do("last", key);
        return [order, then];
      }),
      scenario: {
        setup: () => (isNew = false),
        drive: async (harness, instance) => {
          await harness.runUntilIdle();
          isNew = true;
          await instance.sendEvent({ type: "go" });
          await harness.runThroughTime();
          expect(await instance.status()).toMatchObject({ output: [1, 2] });
        },
      },
    };
  },

  "values that repeat, at places of their own, over a map with keys and a bound": () => ({
    workflow: define(async (step) => {
      const first = [step.now().getTime(), step.random(), step.uuid()];
      const ends = await step.map(
        "m",
        ["c", "a", "b", "bad"],
        async (item, name) => {
          const id = item.uuid();
          const stored = await item.do("store", (context) => {
            key(context);
            if (name === "bad") throw new NonRetryableError("bad");
            return id;
          });
          await item.sleep("nap", "1 minute");
          return [name, stored === id];
        },
        { key: (name) => name, concurrency: 2, tolerate: "50%" },
      );
      const stored = await step.do("store", (context) => [key(context).length > 0, ...first]);
      await step.sleep("nap", "1 day");
      return [
        stored.slice(1).join() === first.join(),
        ends.map((end) => (end.ok ? end.value : end.kind)),
      ];
    }),
    scenario: {
      drive: async (harness, instance) => {
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({
          output: [true, [["c", true], ["a", true], ["b", true], "failed"]],
        });
      },
    },
  }),
};
