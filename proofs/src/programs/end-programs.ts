/** Runs that are undone, cancelled or out of time. */
import {
  defineWorkflow,
  Loop,
  NonRetryableError,
  RollbackError,
  type StepContext,
} from "@escapement/engine";
import { expect } from "vitest";
import { HOUR_MS, define, failing, key, wholeOf } from "./bodies.ts";
import type { Programs } from "./program.ts";

/** Names of what was undone, each once, in order. */
function createUndone() {
  const undone: string[] = [];
  const note = (_result: unknown, context: StepContext): void => {
    const name = context.stepKey;
    if (key(context) !== "" && !undone.includes(name)) undone.push(name);
  };
  return { undone, note, setup: () => void undone.splice(0) };
}

export const END_PROGRAMS: Programs = {
  "a rollback across a loop, a join and a child, with an undo that fails at first": () => {
    const { undone, note, setup } = createUndone();
    const CHILD = defineWorkflow({ name: "child" }, async (_event, step) => {
      await step.do("book", { undo: note }, key);
      await step.sleep("long", "30 days");
    });
    return {
      workflow: define(async (step) => {
        await step.loop("l", {
          state: 0,
          commitEvery: 1,
          keep: 0,
          run: async (own, n) => {
            await own.do("take", { undo: note }, key);
            await own.sleep("nap", "1 minute");
            return n === 1 ? Loop.break(n) : Loop.continue(n + 1);
          },
        });
        await step.join("j", {
          a: (own) => own.do("a", { undo: note }, key),
          b: async (own) => {
            await own.sleep("nap", "1 minute");
            const retries = { limit: 3, delay: "1 hour" } as const;
            await own.do("b", { undo: { run: (_r, c) => void failing(1)(c), retries } }, key);
          },
          child: (own) =>
            own.race("r", {
              child: (lane) => lane.invoke(CHILD, { id: "k", onParentEnd: "rollback" }),
              clock: (lane) => lane.sleep("nap", "2 hours"),
            }),
        });
        throw new RollbackError("off");
      }),
      scenario: {
        workflows: { CHILD },
        setup,
        drive: async (harness, instance) => {
          await harness.runThroughTime(24 * HOUR_MS);
          expect(await instance.status()).toMatchObject({
            status: "errored",
            error: { code: "ROLLED_BACK" },
          });
          expect((await wholeOf(harness).status("child", "k")).status).toBe("terminated");
          expect(undone.filter((name) => name !== "book/undo")).toEqual([
            "j/a/a/undo",
            "l/~1/take/undo",
            "l/~0/take/undo",
          ]);
          expect(undone).toContain("book/undo");
        },
      },
    };
  },

  "terminate with a rollback in the middle of a race": () => {
    const { undone, note, setup } = createUndone();
    return {
      workflow: define(async (step) => {
        await step.do("first", { undo: note }, key);
        await step.race("r", {
          a: async (own) => {
            await own.do("a", { undo: note }, key);
            await own.waitForEvent("never", { type: "never" });
          },
          b: (own) => own.sleep("long", "9 days"),
        });
      }),
      scenario: {
        setup,
        drive: async (harness, instance) => {
          await harness.runUntilIdle();
          await instance.terminate({ rollback: true });
          await harness.runThroughTime();
          expect((await instance.status()).status).toBe("terminated");
          expect(undone).toEqual(["r/a/a/undo", "first/undo"]);
        },
      },
    };
  },

  "a cancel of a map over children, with shielded steps, scopes and a tryDo after it": () => {
    const CHILD = defineWorkflow({ name: "child" }, async (_event, step) => {
      await step.sleep("long", "9 days");
    });
    const told = new Set<unknown>();
    return {
      workflow: define(async (step) => {
        try {
          await step.map("m", [1, 2, 3], (item, n) =>
            item.invoke(CHILD, { id: `k${n}`, onParentEnd: "terminate" }),
          );
        } catch (error) {
          told.add((error as { code?: string }).code);
          throw error;
        } finally {
          const tried = await step.shielded.tryDo("unlock", (context) => {
            key(context);
            throw new NonRetryableError("locked for good");
          });
          told.add(tried.ok || tried.kind);
          await step.shielded.join("clean", {
            a: (own) => own.sleep("calm", "1 minute"),
            b: (own) => own.map("m", [1, 2], (item) => item.do("drop", key)),
          });
          const after = await step.tryDo("not shielded", key);
          told.add(after.ok || (after.error as { code?: string }).code);
        }
      }),
      scenario: {
        workflows: { CHILD },
        setup: () => told.clear(),
        drive: async (harness, instance) => {
          await harness.runUntilIdle();
          await instance.cancel();
          await instance.cancel();
          await harness.runThroughTime();
          expect((await instance.status()).status).toBe("terminated");
          expect(told).toEqual(new Set(["CANCELLED", "failed"]));
          for (const id of ["k1", "k2", "k3"])
            expect((await wholeOf(harness).status("child", id)).status).toBe("terminated");
        },
      },
    };
  },

  "a deadline that passes during a rollback, and one that passes in a wait": () => {
    const { undone, note, setup } = createUndone();
    return {
      workflow: define(async (step) => {
        try {
          await step.join("j", {
            a: async (own) => {
              await own.do("a", { undo: note }, key);
              await own.sleep("long", "9 days");
            },
          });
        } catch {
          const retries = { limit: 5, delay: "1 hour" } as const;
          await step.shielded.do(
            "clean",
            { undo: { run: (_r, c) => void failing(2)(c), retries } },
            key,
          );
          throw new RollbackError("out of time");
        }
      }),
      scenario: {
        setup,
        drive: async (harness, instance) => {
          await harness.runUntilIdle();
          await instance.update({ deadline: "1 hour", tags: ["late"], memo: { by: "ada" } });
          await harness.runThroughTime();
          const { status, error } = await instance.status();
          expect([status, error?.code]).toEqual(["errored", "ROLLED_BACK"]);
          expect(undone).toEqual(["j/a/a/undo"]);
          const said = { tags: ["late"], memo: { by: "ada" } };
          expect(await instance.status()).toMatchObject(said);
        },
      },
    };
  },
};
