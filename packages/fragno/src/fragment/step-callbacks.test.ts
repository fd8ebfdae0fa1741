/** `onConsume` of waits and `onTerminalError` of steps: writes that go with an outcome. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RetryableError, WorkflowError } from "@escapement/engine";
import type { Store } from "@escapement/engine/internal";
import { defineWorkflow } from "./authoring.ts";
import type { StepTx } from "./step-tx.ts";
import { type Bench, bankSchema, openBench, runUntilIdle, SERVERS } from "./testing-step-tx.ts";

const ONCE = { retries: { limit: 0, delay: 0 } } as const;

const createEntry = (tx: StepTx, key: string): void =>
  tx.mutate(({ forSchema }) => void forSchema(bankSchema).create("entry", { key }));

const toCode = (error: unknown): unknown => (WorkflowError.is(error) ? error.code : error);

describe.each(SERVERS)("callbacks of outcomes on $name", (kind) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(kind);
  });
  afterEach(() => bench.meddle((_statements, send) => send()));
  afterAll(() => bench.close());

  const entries = async (prefix: string): Promise<unknown[]> => {
    const rows = await bench.query(
      `select "key" from "entry_bank" where "key" like '${prefix}-%' order by "_internalId"`,
    );
    return rows.map((row) => row["key"]);
  };

  /** Starts an instance, sends it events, and runs it as far as it goes. */
  async function run(workflow: ReturnType<typeof defineWorkflow>, events: readonly unknown[] = []) {
    const { name } = workflow;
    const engine = bench.createEngine({ W: workflow });
    await engine.createInstance(name, { id: "i" });
    await runUntilIdle(engine);
    for (const payload of events) await engine.sendEvent(name, "i", { type: "paid", payload });
    await runUntilIdle(engine);
    const { details } = await engine.getInstance(name, "i");
    const history = await engine.listHistory(name, "i", {});
    return { engine, details, ...history };
  }

  test("onConsume is given the event, and its writes are committed with the event's consumption in one trip", async () => {
    const trips: number[] = [];
    const workflow = defineWorkflow({ name: "consume" }, async (_event, step) => {
      const paid = await step.waitForEvent<{ amount: number }>("payment", {
        type: "paid",
        onConsume: (tx, event) => {
          trips.push(bench.trips());
          createEntry(tx, `consume-${event.payload.amount}`);
        },
      });
      trips.push(bench.trips());
      return paid.payload.amount;
    });
    const { details, events } = await run(workflow, [{ amount: 7 }]);
    expect(details).toMatchObject({ status: "complete", output: 7 });
    expect(events).toMatchObject([{ consumedByStepKey: "payment" }]);
    expect((trips[1] ?? 0) - (trips[0] ?? 0)).toBe(1);
    expect(await entries("consume")).toEqual(["consume-7"]);
  });

  test("a wait whose writes are refused fails on every replay; the event stays for another wait", async () => {
    await bench.query(`insert into "entry_bank" ("id", "key") values ('rc', 'refuse-taken')`);
    let calls = 0;
    const workflow = defineWorkflow({ name: "refuse" }, async (_event, step) => {
      const first = await step
        .tryWaitForEvent("first", {
          type: "paid",
          onConsume: (tx) => {
            calls += 1;
            createEntry(tx, "refuse-taken");
          },
        })
        .catch(toCode);
      await step.sleep("nap", "1 hour");
      const second = await step.waitForEvent<string>("second", {
        type: "paid",
        onConsume: (tx, event) => createEntry(tx, `refuse-${event.payload}`),
      });
      return [first, second.payload];
    });
    const { engine, events } = await run(workflow, ["money"]);
    expect(events).toMatchObject([{ consumedByStepKey: null }]);
    await bench.clock.advance(3_600_000);
    await runUntilIdle(engine);
    const { details } = await engine.getInstance("refuse", "i");
    expect(details).toMatchObject({ status: "complete", output: ["STEP_FAILED", "money"] });
    expect(calls).toBe(3);
    expect(await entries("refuse")).toEqual(["refuse-taken", "refuse-money"]);
  });

  test("an onConsume that throws is not tried again; one that writes nothing consumes as usual", async () => {
    let calls = 0;
    const workflow = defineWorkflow({ name: "throw" }, async (_event, step) => {
      const first = await step
        .waitForEvent("first", {
          type: "paid",
          onConsume: () => {
            calls += 1;
            throw new RangeError("no");
          },
        })
        .catch((error: unknown) => (error instanceof Error ? error.name : error));
      const second = await step.waitForEvent<string>("second", {
        type: "paid",
        onConsume: () => undefined,
      });
      return [first, second.payload, calls];
    });
    const { details, events } = await run(workflow, ["money"]);
    expect(details).toMatchObject({ output: ["RangeError", "money", 1] });
    expect(events).toMatchObject([{ consumedByStepKey: "second" }]);
  });

  test("S6-024 a step's policy is asked as outside of a fragment, and its end has onTerminalError's writes", async () => {
    const asked: unknown[] = [];
    const workflow = defineWorkflow({ name: "asked" }, (_event, step) =>
      step.do(
        "s",
        {
          retries: {
            limit: 9,
            delay: (attempt) => attempt - 1,
            shouldRetry: (error, attempt) => asked.push([String(error), attempt]) < 3,
          },
          onTerminalError: (error, tx) => createEntry(tx, `asked-${error.message}`),
        },
        (tx) => {
          createEntry(tx, "asked-never");
          throw new RetryableError(`no. ${tx.attempt}`, { retryAfter: 0 });
        },
      ),
    );
    const { details, steps } = await run(workflow);
    expect(details).toMatchObject({ status: "errored", error: { name: "RetryableError" } });
    expect(steps).toMatchObject([{ status: "errored", attempts: 3, maxAttempts: 10 }]);
    expect(asked).toEqual([1, 2, 3].map((attempt) => [`RetryableError: no. ${attempt}`, attempt]));
    expect(await entries("asked")).toEqual(["asked-no. 3"]);
  });

  test("a write that is refused is asked about like an error of the body", async () => {
    const asked: unknown[] = [];
    await bench.query(`insert into "entry_bank" ("id", "key") values ('ra', 'refused-taken')`);
    const workflow = defineWorkflow({ name: "refused" }, (_event, step) =>
      step.do("s", { retries: { limit: 9, shouldRetry: (error) => asked.push(error) < 1 } }, (tx) =>
        createEntry(tx, "refused-taken"),
      ),
    );
    const { details, steps } = await run(workflow);
    expect(details).toMatchObject({ status: "errored" });
    expect(steps).toMatchObject([{ status: "errored", attempts: 1 }]);
    expect(asked).toHaveLength(1);
  });

  test("two waits of one type take one event each, while the first is still being consumed", async () => {
    const wait = (name: string) => ({
      type: "paid",
      onConsume: async (tx: StepTx, event: { readonly payload: unknown }) => {
        await bench.query("select 1 as one");
        createEntry(tx, `pair-${name}-${String(event.payload)}`);
      },
    });
    const workflow = defineWorkflow({ name: "pair" }, (_event, step) =>
      Promise.all(["a", "b"].map((name) => step.waitForEvent(name, wait(name)))).then((received) =>
        received.map(({ payload }) => payload),
      ),
    );
    const { details } = await run(workflow, [1, 2]);
    expect(details).toMatchObject({ output: [1, 2] });
    expect(new Set(await entries("pair"))).toEqual(new Set(["pair-a-1", "pair-b-2"]));
  });

  test("an event that one wait could not consume satisfies another that is open already", async () => {
    const workflow = defineWorkflow({ name: "handed-on" }, (_event, step) =>
      Promise.all([
        step
          .waitForEvent("a", {
            type: "paid",
            onConsume: () => {
              throw new RangeError("no");
            },
          })
          .catch(toCode),
        step.waitForEvent("b", { type: "paid" }).then(({ payload }) => payload),
      ]),
    );
    const { details } = await run(workflow, ["money"]);
    expect(details).toMatchObject({ status: "complete", output: ["STEP_FAILED", "money"] });
  });

  test("what died with its runner beside an onConsume counts as lost, and the event is consumed once", async () => {
    let started = 0;
    const workflow = defineWorkflow({ name: "beside", ...ONCE }, async (_event, step) => {
      const body = step.do("body", () => {
        started += 1;
        return new Promise(() => {});
      });
      const wait = step.waitForEvent("payment", {
        type: "paid",
        onConsume: (tx) => createEntry(tx, "beside-paid"),
      });
      return (await Promise.allSettled([body, wait])).map(({ status }) => status);
    });
    const commit: Store["commit"] = (commits) =>
      started === 0 ? bench.store.commit(commits) : new Promise(() => {});
    const dying = bench.createEngine({ W: workflow }, { ...bench.store, commit });
    await dying.createInstance("beside", { id: "i" });
    await dying.sendEvent("beside", "i", { type: "paid" });
    void dying.tick();
    await expect.poll(() => started).toBe(1);
    await bench.clock.advance(30_001);
    const heir = bench.createEngine({ W: workflow });
    await runUntilIdle(heir);
    expect((await heir.getInstance("beside", "i")).details.output).toEqual([
      "rejected",
      "fulfilled",
    ]);
    expect(started).toBe(1);
    expect(await entries("beside")).toEqual(["beside-paid"]);
  });

  test("a timeout runs no onConsume", async () => {
    let calls = 0;
    const workflow = defineWorkflow({ name: "timeout" }, (_event, step) =>
      step
        .waitForEvent("payment", {
          type: "paid",
          timeout: "1 hour",
          onConsume: () => void (calls += 1),
        })
        .catch(toCode),
    );
    const { engine } = await run(workflow);
    await bench.clock.advance(3_600_000);
    await runUntilIdle(engine);
    expect((await engine.getInstance("timeout", "i")).details.output).toBe("EVENT_TIMEOUT");
    expect(calls).toBe(0);
  });

  test("onTerminalError runs once, after the last attempt, and its writes are committed with the failure in one trip", async () => {
    const errors: unknown[] = [];
    const trips: number[] = [];
    const workflow = defineWorkflow({ name: "terminal" }, (_event, step) =>
      step
        .do(
          "charge",
          {
            retries: { limit: 2, delay: 0 },
            onTerminalError: (error, tx) => {
              errors.push([error.name, error.message, tx.attempt]);
              trips.push(bench.trips());
              createEntry(tx, "terminal-failed");
            },
          },
          (tx) => {
            createEntry(tx, "terminal-charged");
            throw new RangeError("declined");
          },
        )
        .catch((error: unknown) => {
          trips.push(bench.trips());
          return toCode(error);
        }),
    );
    const { details, steps } = await run(workflow);
    expect(details).toMatchObject({ status: "complete", output: "STEP_FAILED" });
    expect(errors).toEqual([["RangeError", "declined", 3]]);
    expect((trips[1] ?? 0) - (trips[0] ?? 0)).toBe(1);
    expect(steps).toMatchObject([
      { status: "errored", attempts: 3, error: { name: "RangeError" } },
    ]);
    expect(await entries("terminal")).toEqual(["terminal-failed"]);
  });

  test("the failure is recorded without the writes of onTerminalError when they are refused or it throws, and that is logged", async () => {
    await bench.query(`insert into "entry_bank" ("id", "key") values ('tr', 'norecord-taken')`);
    const workflow = defineWorkflow({ name: "norecord" }, async (_event, step) => {
      const failWith = (name: string, onTerminalError: (error: Error, tx: StepTx) => void) =>
        step
          .do(name, { ...ONCE, onTerminalError }, () => {
            throw new RangeError(name);
          })
          .catch((error: unknown) => (error instanceof Error ? error.message : error));
      return [
        await failWith("refused", (_error, tx) => createEntry(tx, "norecord-taken")),
        await failWith("throws", () => {
          throw new TypeError("twice");
        }),
        await failWith("quiet", () => undefined),
      ];
    });
    const { details } = await run(workflow);
    expect(details).toMatchObject({ output: ["refused", "throws", "quiet"] });
    const logged = bench.log.filter(({ event }) => event === "step.on_terminal_error_failed");
    expect(logged.map(({ fields }) => fields["stepKey"])).toEqual(["refused", "throws"]);
    expect(await entries("norecord")).toEqual(["norecord-taken"]);
  });

  test("a step that lost its last attempt with its runner runs onTerminalError too", async () => {
    let started = 0;
    const workflow = defineWorkflow({ name: "exhausted" }, (_event, step) =>
      step
        .do(
          "charge",
          { ...ONCE, onTerminalError: (error, tx) => createEntry(tx, `exhausted-${error.name}`) },
          () => {
            started += 1;
            return new Promise(() => {});
          },
        )
        .catch(toCode),
    );
    const engine = bench.createEngine({ W: workflow });
    await engine.createInstance("exhausted", { id: "i" });
    void engine.tick();
    await expect.poll(() => started).toBe(1);
    await bench.clock.advance(30_001);
    const heir = bench.createEngine({ W: workflow });
    await runUntilIdle(heir);
    expect((await heir.getInstance("exhausted", "i")).details.output).toBe(
      "STEP_MAX_ATTEMPTS_EXCEEDED",
    );
    expect(await entries("exhausted")).toEqual(["exhausted-StepMaxAttemptsExceeded"]);
  });

  test("branches of a join write with their own steps, each row or none", async () => {
    const workflow = defineWorkflow({ name: "branches" }, (_event, step) =>
      step.join("book", {
        a: (own) => own.do("write", (tx) => createEntry(tx, "branches-a")),
        b: async (own) => {
          await own.do("write", (tx) => createEntry(tx, "branches-b"));
          return own.tryDo("again", ONCE, (tx) => createEntry(tx, "branches-b"));
        },
      }),
    );
    const { details, steps } = await run(workflow);
    expect(details).toMatchObject({ status: "complete", output: { b: { ok: false } } });
    expect((await entries("branches")).map(String).toSorted()).toEqual([
      "branches-a",
      "branches-b",
    ]);
    expect(steps.map(({ stepKey, status }) => `${stepKey} ${status}`).toSorted()).toEqual([
      "book completed",
      "book/a/write completed",
      "book/b/again errored",
      "book/b/write completed",
    ]);
  });

  test("a wait that loses a race while its onConsume runs takes no event and writes nothing", async () => {
    const workflow = defineWorkflow({ name: "loses" }, async (_event, step) => {
      const { winner } = await step.race("r", {
        word: (own) =>
          own.waitForEvent("payment", {
            type: "paid",
            onConsume: async (tx) => {
              createEntry(tx, "loses-first");
              await new Promise(() => {});
            },
          }),
        work: (own) => own.do("work", () => 1),
      });
      const event = await step.waitForEvent<number>("payment", {
        type: "paid",
        onConsume: (tx) => createEntry(tx, "loses-second"),
      });
      return [winner, event.payload];
    });
    const engine = bench.createEngine({ W: workflow });
    await engine.createInstance("loses", { id: "i" });
    await engine.sendEvent("loses", "i", { type: "paid", payload: 7 });
    await runUntilIdle(engine);
    const { details } = await engine.getInstance("loses", "i");
    expect(details).toMatchObject({ status: "complete", output: ["work", 7] });
    expect(await entries("loses")).toEqual(["loses-second"]);
    const { events } = await engine.listHistory("loses", "i", {});
    expect(events).toMatchObject([{ consumedByStepKey: "payment" }]);
  });
});
