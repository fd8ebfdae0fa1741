/** A failure is visible: in the log, in status and history, and to the author code that catches it. */
import { createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createEngine, defineWorkflow, NonRetryableError, WorkflowError } from "../index.ts";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createSqlStore, migrate } from "../stores/sql/index.ts";
import { listenToConsole } from "./testing-errors.ts";

const STORES: readonly (readonly [string, () => Promise<Store>])[] = [
  ["memory", async () => createMemoryStore()],
  [
    "SQLite",
    async () => {
      const database = createSqliteDatabase(new Libsql(":memory:"));
      await migrate(database);
      return createSqlStore({ database });
    },
  ],
];

afterEach(() => vi.restoreAllMocks());

const ONCE_MORE = { retries: { limit: 1, delay: 0 } } as const;

class CardDeclined extends Error {
  override name = "CardDeclined";
  readonly code = "card_declined";
  readonly details = { reason: "insufficient funds" };
  readonly statusCode = 402;
}

const described = (error: unknown): Readonly<Record<string, unknown>> => {
  const { name, message, code, details, statusCode, stack, cause } = error as CardDeclined;
  return {
    name,
    message,
    code,
    details,
    statusCode,
    hasStack: stack?.includes(" at ") === true,
    cause,
  };
};

describe.each(STORES)("on %s", (_name, openStore) => {
  it("S5-042 S4-051 a bug is two warnings and one error by default, and status and history tell all of it", async () => {
    const lines = listenToConsole();
    const cause = Object.assign(new RangeError("connect"), { code: "ECONNREFUSED", port: 5432 });
    const w = defineWorkflow({ name: "w" }, (_event, step) =>
      step.do("charge", ONCE_MORE, () => {
        throw new TypeError("bug", { cause });
      }),
    );
    const engine = createEngine({ workflows: { W: w }, store: await openStore() });
    await engine.workflows.W.create({ id: "a" });
    while ((await engine.tick()).processed > 0);

    const told = {
      name: "TypeError",
      message: "bug",
      stack: expect.stringContaining("errors.test.ts"),
      cause: {
        name: "RangeError",
        message: "connect",
        code: "ECONNREFUSED",
        details: { port: 5432 },
        stack: expect.stringContaining("errors.test.ts"),
      },
    };
    const run = { workflowName: "w", instanceId: "a", runNumber: 1 };
    const attempt = { ...run, level: "warn", event: "step.attempt_failed", stepKey: "charge" };
    expect(lines).toEqual([
      { ...attempt, attempt: 1, maxAttempts: 2, willRetryInMs: 0, error: told },
      { ...attempt, attempt: 2, maxAttempts: 2, willRetryInMs: null, error: told },
      {
        ...run,
        level: "error",
        event: "run.errored",
        error: {
          ...told,
          code: "STEP_FAILED",
          details: { stepKey: "charge", attempts: 2 },
          cause: told,
        },
      },
    ]);
    const stored = {
      ...told,
      code: null,
      details: null,
      cause: { ...told.cause, cause: null },
    };
    const { steps } = await engine.listHistory("w", "a", {});
    expect(steps[0]?.error).toEqual(stored);
    const { details } = await engine.getInstance("w", "a");
    expect(details).toMatchObject({
      status: "errored",
      error: { ...told, code: "STEP_FAILED", cause: stored },
    });
  });

  it("S5-043 author code catches its own error; after a replay one with the same name, message, code, details, stack", async () => {
    listenToConsole();
    const thrown = new CardDeclined("declined", { cause: new TypeError("no funds") });
    const caught: unknown[] = [];
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      try {
        await step.do("charge", ONCE_MORE, () => Promise.reject(thrown));
      } catch (error) {
        caught.push(error);
      }
      await step.waitForEvent("wait", { type: "go" });
    });
    const engine = createEngine({ workflows: { W: w }, store: await openStore() });
    const instance = await engine.workflows.W.create({ id: "a" });
    while ((await engine.tick()).processed > 0);
    await instance.sendEvent({ type: "go" });
    await engine.tick();

    const [live, replayed] = caught as WorkflowError[];
    expect(caught).toHaveLength(2);
    expect(live?.cause).toBe(thrown);
    expect(replayed?.cause).not.toBe(thrown);
    for (const error of [live, replayed])
      expect(error).toMatchObject({
        name: "CardDeclined",
        message: "declined",
        code: "STEP_FAILED",
        details: { stepKey: "charge", attempts: 2 },
        stack: expect.stringContaining("errors.test.ts"),
      });
    expect(replayed?.cause).toBeInstanceOf(Error);
    expect(described(replayed?.cause)).toEqual({
      ...described(thrown),
      details: { reason: "insufficient funds", statusCode: 402 },
      cause: expect.objectContaining({ name: "TypeError", message: "no funds" }),
    });
  });

  it("S5-044 S4-051 an error that is not retryable ends the step at once and keeps its code and details", async () => {
    listenToConsole();
    const caught: unknown[] = [];
    let attempts = 0;
    const child = defineWorkflow({ name: "child" }, () => 1);
    const parent = defineWorkflow({ name: "parent" }, async (_event, step, { workflows }) => {
      try {
        await step.do("start", async () => {
          attempts += 1;
          await workflows["CHILD"]?.create({ id: "taken" });
        });
      } catch (error) {
        caught.push(error);
      }
      await step.waitForEvent("wait", { type: "go" });
    });
    const workflows = { CHILD: child, PARENT: parent };
    const engine = createEngine({ workflows, store: await openStore() });
    await engine.workflows.CHILD.create({ id: "taken" });
    const instance = await engine.workflows.PARENT.create({ id: "p" });
    while ((await engine.tick()).processed > 0);
    await instance.sendEvent({ type: "go" });
    await engine.tick();

    expect(attempts).toBe(1);
    expect(caught).toHaveLength(2);
    for (const error of caught)
      expect(error).toMatchObject({
        code: "INSTANCE_ID_ALREADY_EXISTS",
        details: { workflowName: "child", instanceId: "taken", stepKey: "start", attempts: 1 },
      });
    expect(caught.map(WorkflowError.is)).toEqual([true, true]);
  });

  it("S5-044 no code is derived from a name, and a code of ours on a stranger's error is not believed", async () => {
    listenToConsole();
    const codes: string[] = [];
    const errors = [
      Object.assign(new Error("m"), { name: "EventTimeout" }),
      Object.assign(new Error("m"), { code: "STEP_TIMEOUT" }),
      new NonRetryableError("m", "StepTimeout"),
    ];
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      for (const [index, error] of errors.entries()) {
        const failing = step.do(`s${index}`, { retries: { limit: 0, delay: 0 } }, () => {
          throw error;
        });
        await failing.catch((caught: WorkflowError) => codes.push(caught.code));
      }
      await step.waitForEvent("wait", { type: "go" });
    });
    const engine = createEngine({ workflows: { W: w }, store: await openStore() });
    const instance = await engine.workflows.W.create({ id: "a" });
    while ((await engine.tick()).processed > 0);
    await instance.sendEvent({ type: "go" });
    await engine.tick();
    const once = ["STEP_FAILED", "STEP_FAILED", "NON_RETRYABLE"];
    expect(codes).toEqual([...once, ...once]);
  });

  it("S5-009 whatever is thrown, the instance ends as errored and the process lives", async () => {
    listenToConsole();
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const refuse = (): never => {
      throw new RangeError("not to be read");
    };
    const hostile = new Proxy(new Error("m"), { get: refuse, getPrototypeOf: refuse, has: refuse });
    const odd: readonly unknown[] = [
      proxy,
      hostile,
      Object.defineProperty(new Error("m"), "name", { value: 5 }),
      Object.defineProperty(new Error("m"), "message", { value: { a: 1 } }),
      Object.defineProperty(new Error("m"), "stack", { get: refuse }),
      { toJSON: refuse },
      undefined,
      Symbol("s"),
      Object.assign(new Error("a\u0000\uD800"), { "k\u0000": "\uDC00" }),
    ];
    const w = defineWorkflow({ name: "w" }, (event, step) => {
      const { index, inside } = event.payload as { index: number; inside: boolean };
      const fail = (): never => {
        throw odd[index];
      };
      return inside ? step.do("odd", { retries: { limit: 0, delay: 0 } }, fail) : fail();
    });
    const engine = createEngine({ workflows: { W: w }, store: await openStore() });
    for (const index of odd.keys())
      for (const inside of [true, false])
        await engine.workflows.W.create({ id: `${index}-${inside}`, params: { index, inside } });
    while ((await engine.tick()).processed > 0);
    const { instances } = await engine.listInstances("w", { pageSize: 100 });
    expect(instances.map(({ details }) => details.status)).toEqual(
      Array.from({ length: 2 * odd.length }, () => "errored"),
    );
    for (const { details } of instances) expect(details.error?.name).not.toBe("");
  });
});
