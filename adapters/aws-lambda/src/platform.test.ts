import { createEngine, defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, expectTypeOf, test } from "vitest";
import { handler } from "./handler.ts";
import { createLambdaPlatform } from "./platform.ts";

const HINT = { workflowName: null, instanceId: null, reason: "wake" } as const;

test("a handler works with the platform of its engine, and without one is refused, by the compiler too", async () => {
  const workflows = { ORDER: defineWorkflow({ name: "order" }, () => "done") };
  const store = createMemoryStore();
  const platform = createLambdaPlatform({ queue: async () => undefined });
  const engine = createEngine({ workflows, store, platform, logger: { log: () => undefined } });
  expectTypeOf(engine.platform).toEqualTypeOf(platform);
  await engine.workflows.ORDER.create({ id: "o-1" });
  await handler(engine)({ kind: "tick" }, { getRemainingTimeInMillis: () => 60_000 });
  expect(await (await engine.workflows.ORDER.get("o-1")).result()).toBe("done");
  const alone = createEngine({ workflows, store });
  // @ts-expect-error -- it has no platform
  expect(() => handler(alone)).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID", details: { option: "platform" } }),
  );
});

test("a wake asked for while one is being sent is sent after it, since what made it due may be committed later", async () => {
  const answers: (() => void)[] = [];
  const { wakeNow } = createLambdaPlatform({
    queue: () => new Promise((resolve) => answers.push(() => resolve())),
  });
  const first = wakeNow(HINT);
  await expect.poll(() => answers.length).toBe(1);
  const meanwhile = [wakeNow(HINT), wakeNow(HINT)];
  answers[0]?.();
  await first;
  await expect.poll(() => answers.length).toBe(2);
  let areSent = false;
  const both = Promise.all(meanwhile).then(() => (areSent = true));
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(areSent).toBe(false);
  answers[1]?.();
  await both;
  const later = wakeNow(HINT);
  await expect.poll(() => answers.length).toBe(3);
  answers[2]?.();
  await later;
});

const HOUR_MS = 3_600_000;

test("a far minute is armed once by a process, however many ticks ask, until it has rung; for one that failed the queue goes there in steps, and it is asked for again", async () => {
  const asked: string[] = [];
  const logged: string[] = [];
  const steps: number[] = [];
  let isAway = true;
  const { fired, wakeIn } = createLambdaPlatform({
    queue: async (_body, delaySeconds) => void steps.push(delaySeconds),
    logger: { log: (_level, event) => void logged.push(event) },
    schedules: async (name) => {
      asked.push(name);
      if (isAway) throw new TypeError("no EventBridge");
    },
    now: () => 0,
  });
  const inMs = 2 * HOUR_MS;
  await wakeIn(inMs, HINT);
  expect([steps, logged]).toEqual([[900], ["schedule.failed"]]);
  isAway = false;
  await Promise.all([wakeIn(inMs, HINT), wakeIn(inMs + 59_999, HINT)]);
  // Later wakes can wait until this one has fired; an earlier one cannot.
  await wakeIn(inMs + HOUR_MS, HINT);
  await wakeIn(inMs - 60_000, HINT);
  expect(asked).toEqual(["escapement-118", "escapement-118", "escapement-117"]);
  fired([{ at: 116 * 60_000 }]);
  await wakeIn(inMs, HINT);
  expect(asked).toHaveLength(3);
  fired([{ at: 117 * 60_000 }]);
  await wakeIn(inMs, HINT);
  expect(asked).toHaveLength(4);
});
