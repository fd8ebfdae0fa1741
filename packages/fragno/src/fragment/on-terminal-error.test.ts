/** `onTerminalError` of steps: writes that are committed with a final failure, and what is checked before. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RetryableError, WorkflowError } from "@escapement/engine";
import { defineWorkflow } from "./authoring.ts";
import type { StepTx } from "./step-tx.ts";
import { type Bench, openBench, runUntilIdle, SERVERS } from "./testing-step-tx.ts";
import { createEntry, keysOf } from "./testing-entries.ts";

const ONCE = { retries: { limit: 0, delay: 0 } } as const;

const toCode = (error: unknown): unknown => (WorkflowError.is(error) ? error.code : error);

describe.each(SERVERS)("onTerminalError on $name", (kind) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(kind);
  });
  afterEach(() => bench.meddle((_statements, send) => send()));
  afterAll(() => bench.close());
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
    expect(await keysOf(bench, "asked-")).toEqual(["asked-no. 3"]);
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
    expect(await keysOf(bench, "terminal-")).toEqual(["terminal-failed"]);
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
    expect(await keysOf(bench, "norecord-")).toEqual(["norecord-taken"]);
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
    expect(await keysOf(bench, "exhausted-")).toEqual(["exhausted-StepMaxAttemptsExceeded"]);
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
    expect((await keysOf(bench, "branches-")).map(String).toSorted()).toEqual([
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
});
