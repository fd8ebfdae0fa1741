/** Errors as they are logged and redacted. */
import { afterEach, expect, it, vi } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createConsoleLogger } from "../process/console-logger.ts";
import { createHarness } from "../testing/harness.ts";
import { listenToConsole } from "./testing-errors.ts";

afterEach(() => vi.restoreAllMocks());

it("S5-042 retries need no delay of their own: one retry is two warnings and one error", async () => {
  const w = defineWorkflow({ name: "w" }, (_event, step) =>
    step.do("charge", { retries: { limit: 1 } }, () => {
      throw new TypeError("bug", { cause: new RangeError("inner") });
    }),
  );
  const harness = createHarness({ workflows: { W: w } });
  await harness.workflows.W.create({ id: "a" });
  await harness.runThroughTime();
  const heard = harness.log.filter(({ level }) => level !== "debug");
  expect(heard.map(({ level, event, fields }) => [level, event, fields["willRetryInMs"]])).toEqual([
    ["warn", "step.attempt_failed", 10_000],
    ["warn", "step.attempt_failed", null],
    ["error", "run.errored", undefined],
  ]);
});

it("S5-042 a line whose fields are no JSON is written all the same", () => {
  const lines = listenToConsole();
  const logger = createConsoleLogger();
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  logger.log("warn", "odd", { count: 1n });
  logger.log("error", "hostile", { proxy });
  expect(lines).toEqual([
    { level: "warn", event: "odd", count: "1" },
    { level: "error", event: "hostile", unwritable: true },
  ]);
});

it("S5-042 redactError decides what is stored and logged; author code still catches the whole error", async () => {
  const lines = listenToConsole();
  const causes: unknown[] = [];
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    try {
      await step.do("a", { retries: { limit: 0, delay: 0 } }, () => {
        throw new TypeError("card 4111 refused");
      });
    } catch (error) {
      causes.push((error as Error).cause);
      throw error;
    }
  });
  for (const redactError of [
    (record: { message: string }) => ({ ...record, message: "removed", stack: null, cause: null }),
    (): never => {
      throw new RangeError("4111");
    },
  ]) {
    const store = createMemoryStore();
    const engine = createEngine({ workflows: { W: w }, store, redactError: redactError as never });
    await engine.workflows.W.create({ id: "a" });
    while ((await engine.tick()).processed > 0);
    const shown = JSON.stringify([
      lines,
      await engine.getInstance("w", "a"),
      await engine.listHistory("w", "a", {}),
    ]);
    expect(shown).not.toContain("4111");
    expect(shown).toContain("TypeError");
  }
  expect(causes).toMatchObject([
    { message: "card 4111 refused" },
    { message: "card 4111 refused" },
  ]);
});
