/** `step.receive`: batches of several types, in order, once, and in time. */
import { beforeAll, describe, expect, it } from "vitest";
import { Loop } from "../index.ts";
import { createRun } from "../testing/one-run.ts";
import { said, sendAll, TYPES } from "./testing-receive.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => Promise.all([import("./scopes/run-scope.ts"), import("./receive-step.ts")]));

const HOUR_MS = 3_600_000;

describe("S6-014 step.receive", () => {
  it("S6-014 takes what is there of its types, oldest first", async () => {
    const run = await createRun(async (step) => said(await step.receive("in", { types: TYPES })));
    await sendAll(run, "order 1", "noise 2", "cancel 3", "order 4");
    expect(await run.output()).toEqual(["order 1", "cancel 3", "order 4"]);
    expect(await run.rows()).toEqual(["in completed"]);
    const [row] = await run.steps();
    expect(row).toMatchObject({ type: "receive", waitEventType: "cancel,order" });
  });

  it("S6-014 waits for the first where there is none, and costs nothing meanwhile", async () => {
    const run = await createRun(async (step) => said(await step.receive("in", { types: TYPES })));
    await run.harness.runUntilIdle();
    expect(await run.status()).toMatchObject({ status: "waiting" });
    await sendAll(run, "noise 1");
    expect((await run.harness.tick()).processed).toBe(0);
    await sendAll(run, "cancel 2");
    expect(await run.output()).toEqual(["cancel 2"]);
  });

  it("S6-014 takes at most `count`, and leaves the others to the next", async () => {
    const run = await createRun(async (step) => {
      const first = await step.receive("in", { types: TYPES, count: 2 });
      const second = await step.receive("in", { types: TYPES, count: 2 });
      return [said(first), said(second)];
    });
    await sendAll(run, "order 1", "cancel 2", "order 3");
    expect(await run.output()).toEqual([["order 1", "cancel 2"], ["order 3"]]);
  });

  it("S6-014 gives events as a wait does, with the id that the sender gave", async () => {
    const run = await createRun(async (step) => {
      const [event] = await step.receive<{ a: number }>("in", { types: ["order"] });
      return event;
    });
    await run.send("order", { a: 1 });
    expect(await run.output()).toEqual({
      type: "order",
      payload: { a: 1 },
      timestamp: expect.any(Date) as Date,
    });
  });

  it("S6-014 gives [] at the timeout, by the database's time, and what comes later to the next", async () => {
    const run = await createRun(async (step) => [
      said(await step.receive("in", { types: TYPES, timeout: "1 hour" })),
      said(await step.receive("in", { types: TYPES, timeout: "1 hour" })),
    ]);
    await run.harness.runUntilIdle();
    await run.harness.clock.advance(HOUR_MS + 1);
    await sendAll(run, "order late");
    expect(await run.output()).toEqual([[], ["order late"]]);
  });

  it("S6-014 an event in time counts, however late the run is looked at", async () => {
    const run = await createRun(async (step) =>
      said(await step.receive("in", { types: TYPES, timeout: "1 hour" })),
    );
    await run.harness.runUntilIdle();
    await run.harness.clock.advance(HOUR_MS);
    await sendAll(run, "order 1");
    await run.harness.clock.advance(HOUR_MS);
    expect(await run.output()).toEqual(["order 1"]);
  });

  it("S6-014 waits for `min`, and takes what came when its time is up", async () => {
    const run = await createRun(async (step) => {
      const options = { types: TYPES, min: 3, count: 4, timeout: "1 hour" } as const;
      return [said(await step.receive("in", options)), said(await step.receive("in", options))];
    });
    await run.harness.runUntilIdle();
    for (const event of ["order 1", "cancel 2"]) {
      await sendAll(run, event);
      await run.harness.runUntilIdle();
    }
    expect(await run.rows()).toEqual(["in waiting"]);
    await sendAll(run, "order 3");
    await run.harness.runUntilIdle();
    expect(await run.rows()).toEqual(["in completed", "in#2 waiting"]);
    await sendAll(run, "order 4");
    await run.harness.runUntilIdle();
    await run.harness.clock.advance(HOUR_MS + 1);
    await sendAll(run, "order 5");
    expect(await run.output()).toEqual([["order 1", "cancel 2", "order 3"], ["order 4"]]);
  });

  it("S6-014 a batch ends before its payloads are too large for a result", async () => {
    const run = await createRun(
      async (step) => {
        const sizes: number[] = [];
        for (let left = 5; left > 0;) {
          const { length } = await step.receive("in", { types: ["order"] });
          sizes.push(length);
          left -= length;
        }
        return sizes;
      },
      { limits: { maxStepResultBytes: 1000 } },
    );
    await sendAll(run, ...[1, 2, 3].map((n) => `order ${String(n).repeat(400)}`));
    await sendAll(run, `order ${"4".repeat(5000)}`, "order 5");
    expect(await run.output()).toEqual([2, 1, 1, 1]);
  });

  it.each([
    ["INVALID_RECEIVE", { types: [] }],
    ["INVALID_RECEIVE", { types: "order" }],
    ["INVALID_RECEIVE", { types: Array.from({ length: 17 }, (_, n) => `t${n}`) }],
    ["INVALID_RECEIVE", { types: TYPES, count: 0 }],
    ["INVALID_RECEIVE", { types: TYPES, count: 101 }],
    ["INVALID_RECEIVE", { types: TYPES, count: 1.5 }],
    ["INVALID_RECEIVE", { types: TYPES, count: 2, min: 3 }],
    ["INVALID_RECEIVE", undefined],
    ["INVALID_EVENT_TYPE", { types: ["order", "a,b"] }],
    ["INVALID_EVENT_TYPE", { types: [null] }],
    ["INVALID_EVENT_TYPE", { types: Array(2) }],
    ["INVALID_DURATION", { types: TYPES, timeout: 1 }],
    ["UNKNOWN_OPTION", { types: TYPES, since: "run" }],
  ])("S6-014 refuses with %s what it cannot have: %j", async (code, options) => {
    const run = await createRun(async (step) => {
      const call = step.receive as (name: string, options: unknown) => Promise<unknown>;
      return call("in", options).catch((error: unknown) => (error as { code: string }).code);
    });
    expect(await run.output()).toBe(code);
    expect(await run.rows()).toEqual([]);
  });

  it("S6-014 a name in flight is refused, and its next use is another step", async () => {
    const run = await createRun(async (step) => {
      const first = step.receive("in", { types: TYPES });
      const second = step.receive("in", { types: TYPES });
      const code = await second.catch((error: unknown) => (error as { code: string }).code);
      return [code, said(await first)];
    });
    await sendAll(run, "order 1");
    expect(await run.output()).toEqual(["STEP_KEY_DUPLICATE", ["order 1"]]);
  });

  it("S6-014 code that asks for other types goes on with them, and the instance says so", async () => {
    let types = ["order", "old"];
    const run = await createRun(async (step) => said(await step.receive("in", { types })));
    await run.harness.runUntilIdle();
    types = ["order", "new"];
    run.harness.restart();
    await sendAll(run, "order 1");
    types = ["new", "other"];
    await run.harness.runUntilIdle();
    expect(await run.status()).toMatchObject({
      diverged: [{ stepKey: "in", recorded: "old,order", called: "new,other" }],
    });
    await sendAll(run, "new 2");
    expect(await run.output()).toEqual(["new 2"]);
  });

  it("S6-014 types in another order are the same wait", async () => {
    let types = ["order", "cancel", "order"];
    const run = await createRun(async (step) => said(await step.receive("in", { types })));
    await run.harness.runUntilIdle();
    types = ["cancel", "order"];
    await sendAll(run, "order 1");
    expect(await run.output()).toEqual(["order 1"]);
    expect(run.harness.log.filter(({ event }) => event === "history.diverged")).toEqual([]);
  });
});

describe("S6-014 many events", () => {
  it("S6-014 10 000 are taken a hundred at a time, in order, none lost and none twice", async () => {
    const total = 10_000;
    const run = await createRun(
      (step) =>
        step.loop("all", {
          state: 0,
          run: async (s, seen: number) => {
            const batch = await s.receive("in", { types: ["even", "odd"], count: 100 });
            for (const [index, { payload }] of batch.entries())
              if (payload !== seen + index) throw new TypeError(`another at ${seen}`);
            const next = seen + batch.length;
            return next === total ? Loop.break(next) : Loop.continue(next);
          },
        }),
      { limits: { maxUndeliveredEvents: total } },
    );
    for (let index = 0; index < total; index += 1)
      await run.send(index % 2 === 0 ? "even" : "odd", index);
    expect(await run.output()).toBe(total);
  });

  it.each([
    ["all that there are", 100],
    ["three at a time, so that a batch is full before all is read", 3],
  ])(
    "S6-014 of types of which some are known further than others, none is passed over: %s",
    async (_title, count) => {
      const run = await createRun(async (step) => {
        const wanted = await step.waitForEvent("wanted", { type: "b" });
        const seen = [...said([wanted])];
        const options = { types: ["a", "b"], count };
        while (seen.length < 131) seen.push(...said(await step.receive("in", options)));
        return seen;
      });
      // The first wait's event comes after a page of others.
      for (let index = 0; index < 120; index += 1) await run.send("a", index);
      for (let index = 120; index < 131; index += 1) await run.send(index % 2 ? "a" : "b", index);
      const rest = Array.from({ length: 131 }, (_, n) => n).filter((n) => n !== 120);
      const name = (n: number): string => `${n > 120 && n % 2 === 0 ? "b" : "a"} ${n}`;
      expect(await run.output()).toEqual(["b 120", ...rest.map(name)]);
    },
  );
});
