/** Rows whose words are about more than how a program ends: what bodies and author code see on the way. */
import { NonRetryableError, RollbackError } from "@escapement/engine";
import { expect } from "vitest";
import { HOUR_MS, define, failing, key, wholeOf } from "./bodies.ts";
import type { Program, Programs } from "./program.ts";

type Driven = Parameters<Program["scenario"]["drive"]>[0];

/** The rows of a run by key. */
async function rowsOf(harness: Driven, id: string) {
  const { steps } = await wholeOf(harness).history("w", id);
  return new Map(steps.map((step) => [step.stepKey, step]));
}

export const SEEN_PROGRAMS: Programs = {
  "S6-003 S3-038 a loser's body is aborted, not awaited, and what it comes to is dropped": () => {
    const seen = new Set<string>();
    let finish: (() => void)[] = [];
    return {
      workflow: define(async (step) => {
        const { winner, value } = await step.race("r", {
          slow: async (own) => {
            const late = await own.do("work", (context) => {
              key(context);
              context.signal.addEventListener("abort", () => seen.add("aborted"));
              return new Promise<string>((resolve) => finish.push(() => resolve("late")));
            });
            seen.add(late);
          },
          quick: (own) => own.do("answer", (context) => key(context).length > 0),
        });
        await step.sleep("later", "1 hour");
        return [winner, value];
      }),
      scenario: {
        setup: () => {
          seen.clear();
          finish = [];
        },
        drive: async (harness, instance) => {
          await harness.runThroughTime();
          expect(await instance.status()).toMatchObject({ output: ["quick", true] });
          // The end did not wait for it.
          const begun = finish.splice(0);
          for (const end of begun) end();
          await harness.runUntilIdle();
          expect([...seen]).toEqual(begun.length > 0 ? ["aborted"] : []);
          const rows = await rowsOf(harness, instance.id);
          expect(rows.get("r")).toMatchObject({ type: "race", result: { winner: "quick" } });
          const lost = { status: "cancelled", error: { code: "SCOPE_CLOSED" } };
          expect(rows.get("r/slow/work")).toMatchObject(lost);
          expect(rows.get("r/slow/work")?.result).toBeUndefined();
        },
      },
    };
  },

  "S3-019 S3-033 S4-038 catch and finally see neither a sleep, nor a wait, nor a retry": () => {
    const seen: string[] = [];
    return {
      workflow: define(async (step) => {
        try {
          await step.sleep("nap", "1 hour");
          await step.do("again", { retries: { limit: 2, delay: "1 hour" } }, failing(1));
          await step.waitForEvent("go", { type: "go", timeout: "9 days" });
        } catch {
          seen.push("catch");
        } finally {
          seen.push("finally");
        }
        await step.do("last", key);
      }),
      scenario: {
        setup: () => void seen.splice(0),
        drive: async (harness, instance) => {
          for (let hour = 0; hour < 4; hour += 1) {
            await harness.runThroughTime(HOUR_MS);
            expect((await instance.status()).status).toBe("waiting");
          }
          expect(seen).toEqual([]);
          await instance.sendEvent({ type: "go" });
          await harness.runThroughTime();
          expect((await instance.status()).status).toBe("complete");
          // Once a life.
          expect(new Set(seen)).toEqual(new Set(["finally"]));
        },
      },
    };
  },

  "S4-051 S4-040 S3-031 an error for good is not tried again, and fails the run; others are, so often":
    () => ({
      workflow: define(async (step) => {
        const retries = { limit: 2, delay: "1 minute" } as const;
        const tried = await step.tryDo("exhausted", { retries }, failing(9));
        await step.do("charge", { retries }, (context) => {
          key(context);
          throw new NonRetryableError(tried.ok ? "" : tried.kind, "CardError");
        });
      }),
      scenario: {
        drive: async (harness, instance) => {
          await harness.runThroughTime();
          const error = { name: "CardError", message: "exhausted", code: "NON_RETRYABLE" };
          expect(await instance.status()).toMatchObject({ status: "errored", error });
          const rows = await rowsOf(harness, instance.id);
          const tried = ["exhausted", "charge"].map((name) => rows.get(name)?.attempts);
          expect(tried).toEqual([3, 1]);
        },
      },
    }),

  "S3-052 a step of another type fails the run, and both are named": () => {
    let isNew = false;
    return {
      changesCode: true,
      workflow: define(async (step) => {
        await (isNew ? step.sleep("first", 1) : step.do("first", key)).catch(() => null);
        await step.waitForEvent("go", { type: "go" });
      }),
      scenario: {
        setup: () => (isNew = false),
        drive: async (harness, instance) => {
          await harness.runUntilIdle();
          isNew = true;
          await instance.sendEvent({ type: "go" });
          await harness.runThroughTime();
          const { status, error } = await instance.status();
          expect([status, error?.code]).toEqual(["errored", "HISTORY_DIVERGED"]);
          for (const word of ["first", "do", "sleep"]) expect(error?.message).toContain(word);
        },
      },
    };
  },

  "S6-001 S3-036 a parked branch stops no other, and rows tell how far each is": () => ({
    workflow: define((step) =>
      step.join("j", {
        parked: (own) => own.waitForEvent("e", { type: "e", timeout: "9 days" }),
        done: async (own) => {
          await own.do("a", key);
          await own.sleep("nap", "1 minute");
          await own.do("b", key);
        },
        again: (own) => own.do("c", { retries: { limit: 3, delay: "9 hours" } }, failing(2)),
      }),
    ),
    scenario: {
      drive: async (harness, instance) => {
        await harness.runThroughTime(HOUR_MS);
        const far = ["parked/e", "done/a", "done/nap", "done/b", "again/c"];
        const rows = await rowsOf(harness, instance.id);
        expect(far.map((place) => rows.get(`j/${place}`)?.status)).toEqual([
          "waiting",
          "completed",
          "completed",
          "completed",
          "waiting",
        ]);
        expect(rows.get("j/again/c")).toMatchObject({ error: { message: "not yet" } });
        await instance.sendEvent({ type: "e" });
        await harness.runThroughTime();
        expect((await instance.status()).status).toBe("complete");
      },
    },
  }),

  "S6-010 an undo that the code has no more is named, and nothing is undone": () => {
    let [isNew, undone] = [false, 0];
    return {
      changesCode: true,
      workflow: define(async (step) => {
        const undo = (): void => void (undone += 1);
        if (isNew) await step.do("flight", key);
        else await step.do("flight", { undo }, key);
        await step.do("hotel", { undo }, key);
        await step.sleep("think", "1 day");
        throw new RollbackError();
      }),
      scenario: {
        setup: () => ([isNew, undone] = [false, 0]),
        drive: async (harness, instance) => {
          await harness.runUntilIdle();
          isNew = true;
          await harness.runThroughTime();
          const error = { code: "UNDO_MISSING", details: { stepKeys: ["flight"] } };
          expect(await instance.status()).toMatchObject({ status: "errored", error });
          expect(undone).toBe(0);
        },
      },
    };
  },

  "S6-004 so many items are in work at once, and values come in the order of items": () => {
    let [inWork, most] = [0, 0];
    return {
      workflow: define((step) =>
        step.map(
          "m",
          [3, 1, 2, 5, 4],
          (item, n) =>
            item.do("work", async (context) => {
              key(context);
              most = Math.max(most, (inWork += 1));
              await new Promise((resolve) => setTimeout(resolve, n));
              inWork -= 1;
              return n;
            }),
          { concurrency: 2 },
        ),
      ),
      scenario: {
        setup: () => ([inWork, most] = [0, 0]),
        drive: async (harness, instance) => {
          await harness.runThroughTime();
          expect(await instance.status()).toMatchObject({ output: [3, 1, 2, 5, 4] });
          // A process that died may have left as many.
          expect(most).toBeGreaterThanOrEqual(2);
          expect(most).toBeLessThanOrEqual(4);
        },
      },
    };
  },
};
