import { expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { defineTopic } from "../authoring/topic.ts";
import type { WorkflowError } from "../core/errors.ts";
import { createHarness } from "../testing/harness.ts";

const order = defineWorkflow({ name: "order" }, async (_event, step) => {
  const paid = await step.waitForEvent("payment", { type: "paid", timeout: "1 hour" });
  return paid.payload;
});
const createScene = () => createHarness({ workflows: { ORDER: order } });

test("S5-023 create under one key makes one instance, whoever repeats it", async () => {
  const { workflows, engine, runUntilIdle } = createScene();
  const create = (): ReturnType<typeof workflows.ORDER.create> =>
    workflows.ORDER.create({ params: { n: 1 }, idempotencyKey: "k" });
  const [one, two] = await Promise.all([create(), create()]);
  await runUntilIdle();
  expect((await create()).id).toBe(one.id);
  expect(two.id).toBe(one.id);
  expect((await engine.listInstances("order", {})).instances).toHaveLength(1);
  await expect(
    workflows.ORDER.create({ params: { n: 2 }, idempotencyKey: "k" }),
  ).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_CONFLICT" });
});

test("S5-023 a keyed create beside a running loop is run once, however often it is repeated", async () => {
  const { workflows, engine, status } = createScene();
  const loop = engine.startLoop();
  try {
    const { id } = await workflows.ORDER.create({ idempotencyKey: "k" });
    await expect.poll(async () => (await status("order", id)).status).toBe("waiting");
    await workflows.ORDER.create({ idempotencyKey: "k" });
    await workflows.ORDER.get(id).then((instance) => instance.sendEvent({ type: "paid" }));
    await expect.poll(async () => (await status("order", id)).status).toBe("complete");
    await workflows.ORDER.create({ idempotencyKey: "k" });
    expect(await status("order", id)).toMatchObject({ status: "complete", runNumber: 1 });
  } finally {
    await loop.stop();
  }
});

test("S5-023 an event sent twice under one id is taken by one wait", async () => {
  const { workflows, runUntilIdle, history } = createScene();
  const instance = await workflows.ORDER.create({ id: "a" });
  for (let count = 0; count < 3; count += 1) {
    await instance.sendEvent({ type: "paid", payload: 7, eventId: "e" });
    await runUntilIdle();
  }
  expect(await instance.status()).toMatchObject({ status: "complete", output: 7 });
  expect((await history("order", "a")).events).toHaveLength(1);
  await expect(
    instance.sendEvent({ type: "paid", payload: 8, eventId: "e" }),
  ).rejects.toMatchObject({ code: "EVENT_ID_CONFLICT" });
});

test("S5-023 S6-015 S6-023 what comes again is compared as text: keys in another order are another input", async () => {
  const { workflows, engine } = createHarness({
    workflows: { ORDER: order },
    topics: [defineTopic({ name: "placed" })],
  });
  const instance = await workflows.ORDER.create({ id: "a" });
  const verbs = {
    create: (value: object) => workflows.ORDER.create({ params: value, idempotencyKey: "k" }),
    sendEvent: (payload: object) => instance.sendEvent({ type: "paid", payload, eventId: "e" }),
    update: (memo: object) => instance.update({ memo, idempotencyKey: "k" }),
    emit: (payload: object) => engine.emit("placed", payload, { id: "m" }),
  };
  const refused: string[] = [];
  for (const [verb, call] of Object.entries(verbs)) {
    await call({ a: 1, b: 2 });
    await call({ a: 1, b: 2 });
    await call({ b: 2, a: 1 }).catch(({ code }: WorkflowError) => refused.push(`${verb} ${code}`));
  }
  expect(refused).toEqual([
    "create IDEMPOTENCY_KEY_CONFLICT",
    "sendEvent EVENT_ID_CONFLICT",
    "update IDEMPOTENCY_KEY_CONFLICT",
    "emit EVENT_ID_CONFLICT",
  ]);
});

test("S5-023 a restart under one key, and one for a run that is past", async () => {
  const { workflows } = createScene();
  const instance = await workflows.ORDER.create({ id: "a" });
  await instance.restart({ idempotencyKey: "r", ifRunNumber: 1 });
  await instance.restart({ idempotencyKey: "r", ifRunNumber: 1 });
  expect(await instance.status()).toMatchObject({ runNumber: 2 });
  await expect(instance.terminate({ ifRunNumber: 1 })).rejects.toMatchObject({
    code: "RUN_NUMBER_MISMATCH",
  });
  await expect(instance.pause({ ifRunNumber: 0 })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
  });
});
