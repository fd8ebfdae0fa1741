import { expect, test } from "vitest";
import { IDLE_TICK } from "./drive.ts";
import { createQueueWakes } from "./queue-wakes.ts";
import { BARE_WAKE, parseWakeMessage } from "./wake-message.ts";

const NOW = 1_000_000_000;
const MAX_DELAY_SECONDS = 900;
const HINT = { workflowName: null, instanceId: null, reason: "wake" } as const;

function open() {
  const sent: { body: string; delaySeconds: number; key: string | null }[] = [];
  const queue = {
    maxDelaySeconds: MAX_DELAY_SECONDS,
    send: async (body: string, delaySeconds: number, key: string | null) =>
      void sent.push({ body, delaySeconds, key }),
  };
  let now = NOW;
  const advance = (ms: number): void => void (now += ms);
  const openFor = (names: readonly string[] = []) => {
    const wakes = createQueueWakes(queue, () => now);
    const listWorkflows = () => names.map((name) => ({ name }));
    wakes.attach({ tick: async () => IDLE_TICK, listWorkflows });
    return wakes;
  };
  return { sent, advance, open: openFor };
}

test("a wake at once is not held back and carries its hops", async () => {
  const { sent, open: openWakes } = open();
  await openWakes().wakeNow(7);
  expect(sent).toEqual([{ body: expect.any(String) as string, delaySeconds: 0, key: null }]);
  expect(parseWakeMessage(sent[0]?.body ?? "")).toEqual({ ...BARE_WAKE, hopCount: 7 });
});

test("a wake at an instant is held back until then at least, by whole seconds, and the same in every process", async () => {
  const { sent, open: openWakes } = open();
  for (let process = 0; process < 2; process += 1) await openWakes().wakeIn(1500, HINT);
  expect(sent.map(({ delaySeconds, key }) => [delaySeconds, key])).toEqual([
    [2, "wake-1000002"],
    [2, "wake-1000002"],
  ]);
  expect(parseWakeMessage(sent[0]?.body ?? "")).toMatchObject({ hopCount: 0, at: NOW + 1500 });
});

test("beyond what the queue can hold a wake is chained, and an instant that has passed is not asked for at once", async () => {
  const { sent, open: openWakes } = open();
  await openWakes().wakeIn(86_400_000, HINT);
  await openWakes().wakeIn(-30_000, HINT);
  expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual([MAX_DELAY_SECONDS, 1]);
});

test("what rings early is asked for again, and under no key that would drop it", async () => {
  const { sent, open: openWakes } = open();
  const wakes = openWakes();
  const at = NOW + 60_000;
  await wakes.wakeIn(60_000, HINT);
  await wakes.wakeIn(60_000, HINT);
  expect(sent).toHaveLength(1);
  wakes.fired({ at });
  await wakes.wakeIn(60_000, HINT);
  expect(sent.map(({ key }) => key)).toEqual(["wake-1000060", null]);
});

test("a second has one name, the database's: in processes whose clocks differ, and along a chain", async () => {
  const { sent, advance, open: openWakes } = open();
  const databaseNow = 5_000_000;
  await openWakes().wakeIn(60_000, { ...HINT, dueAt: databaseNow + 60_000 });
  advance(60_000);
  await openWakes().wakeIn(60_000, { ...HINT, dueAt: databaseNow + 60_000 });
  await openWakes().wakeIn(86_400_000, { ...HINT, dueAt: databaseNow + 86_400_000 });
  expect(sent.map(({ key }) => key)).toEqual(["wake-5060", "wake-5060", "wake-5900"]);
});

test("a hand-over that arrives leaves the alarm as it is; the alarm that rang in time is forgotten", async () => {
  const { sent, advance, open: openWakes } = open();
  const wakes = openWakes();
  const at = NOW + 60_000;
  await wakes.wakeIn(60_000, HINT);
  wakes.fired({ at: null });
  await wakes.wakeIn(60_000, HINT);
  expect(sent).toHaveLength(1);
  advance(60_000);
  wakes.fired({ at });
  await wakes.wakeIn(60_000, HINT);
  expect(sent[1]).toMatchObject({ delaySeconds: 60, key: "wake-1000120" });
});

test("a wake of another second that arrives leaves the alarm as it is; one of the same second does not, whoever sent it", async () => {
  const { sent, open: openWakes } = open();
  const wakes = openWakes();
  await wakes.wakeIn(60_000, HINT);
  wakes.fired({ at: NOW + 5000 });
  await wakes.wakeIn(60_000, HINT);
  expect(sent).toHaveLength(1);
  // The queue may have dropped this process's own message as a duplicate.
  wakes.fired({ at: NOW + 59_999 });
  await wakes.wakeIn(60_000, HINT);
  expect(sent).toHaveLength(2);
});

test("S9-011 a wake tells of the one after it", async () => {
  const { sent, open: openWakes } = open();
  await openWakes().wakeIn(1500, { ...HINT, thenWakeAt: NOW + 4000 });
  const message = parseWakeMessage(sent[0]?.body ?? "");
  expect(message).toEqual({ ...BARE_WAKE, at: NOW + 1500, thenAt: NOW + 4000 });
});

test("S9-012 a wake says which workflows its sender runs, and a second has a name for each set of them", async () => {
  const { sent, open: openWakes } = open();
  for (const names of [["order"], ["refund", "order"], ["order", "refund"]])
    await openWakes(names).wakeIn(1500, HINT);
  await openWakes(["order"]).wakeNow(0);
  const told = sent.map(({ body }) => parseWakeMessage(body)?.workflows);
  expect(told).toEqual([["order"], ["refund", "order"], ["order", "refund"], ["order"]]);
  const [one, two, three] = sent.map(({ key }) => key);
  expect(one).toMatch(/^wake-1000002-\w+$/);
  expect([one === two, two === three]).toEqual([false, true]);
});

test("S9-012 a wake that is left to others says all that it said, comes after a second, and is counted", async () => {
  const { sent, open: openWakes } = open();
  const wake = { ...BARE_WAKE, at: NOW, thenAt: NOW + 5000, workflows: ["order", "refund"] };
  const own = { ...wake, workflows: ["order"] };
  expect(await openWakes(["order"]).forward([wake, own])).toEqual([own]);
  expect(sent.map(({ delaySeconds, key }) => [delaySeconds, key])).toEqual([[1, null]]);
  expect(parseWakeMessage(sent[0]?.body ?? "")).toEqual({ ...wake, forwardCount: 1 });
});
