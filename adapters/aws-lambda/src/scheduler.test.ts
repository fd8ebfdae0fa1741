import { expect, test } from "vitest";
import { scheduler } from "./scheduler.ts";

const HINT = { workflowName: null, instanceId: null, reason: "wake" } as const;

test("a wake asked for while one is being sent is sent after it, since what made it due may be committed later", async () => {
  const answers: (() => void)[] = [];
  const { wakeNow } = scheduler({
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
