import { expect, test } from "vitest";
import type { SettledStep } from "../core/model/records.ts";
import { ReplayOrder } from "./replay-order.ts";
import { RunClock } from "./run-clock.ts";

const recorded = (...orders: number[]): SettledStep[] =>
  orders.map((settledOrder) => ({
    stepKey: `s${settledOrder}`,
    type: "do",
    status: "completed",
    attempts: 1,
    result: null,
    error: null,
    settledOrder,
    updatedAt: settledOrder,
    startedKeys: null,
  }));

interface Told {
  readonly order: ReplayOrder;
  readonly told: number[];
  readonly skipped: string[];
  add(...orders: number[]): void;
  tellAll(): readonly number[];
}

function start(...orders: number[]): Told {
  const settled = recorded(...orders);
  const clock = new RunClock({ startedAt: 0 }, { newestAt: 0 }, () => 0);
  const order = new ReplayOrder(settled, (orders.at(-1) ?? 0) + 1, clock);
  const told: number[] = [];
  const skipped: string[] = [];
  return {
    order,
    told,
    skipped,
    add: (...added) => {
      for (const one of added)
        order.add({ settledOrder: one, updatedAt: one }, () => void told.push(one));
    },
    tellAll: () => {
      const note = (steps: readonly SettledStep[]): void =>
        void skipped.push(...steps.map(({ stepKey }) => stepKey));
      for (let tell = order.next(note); tell !== null; tell = order.next(note)) tell();
      return told;
    },
  };
}

const allocate = (order: ReplayOrder): number => order.allocate().settledOrder;

test("outcomes come in the order in which they settled, however they were asked for", () => {
  const { add, tellAll } = start(1, 2, 3);
  add(3, 1, 2);
  expect(tellAll()).toEqual([1, 2, 3]);
});

test("one at a time: the caller decides when the next one is told", () => {
  const { order, add, told } = start(1, 2);
  add(2, 1);
  order.next(() => {})?.();
  expect(told).toEqual([1]);
  expect(order.isReplaying).toBe(true);
});

test("what settles now comes behind history, in the order of its settling", () => {
  const { order, add, tellAll } = start(1);
  const [first, second] = [allocate(order), allocate(order)];
  add(second, first, 1);
  expect(tellAll()).toEqual([1, first, second]);
});

test("a recorded step that was not called is passed over and named", () => {
  const { add, tellAll, skipped, order } = start(1, 2, 3);
  add(1, 3);
  expect(tellAll()).toEqual([1, 3]);
  expect(skipped).toEqual(["s2"]);
  expect(order.uncalled).toEqual([]);
});

test("a step that is new in the code passes over nothing: history may still be called after it", () => {
  const { order, add, tellAll, skipped, told } = start(5, 6);
  const inserted = allocate(order);
  add(inserted);
  tellAll();
  add(5, 6);
  expect(tellAll()).toEqual([inserted, 5, 6]);
  expect([skipped, told.length]).toEqual([[], 3]);
});

test("a step that was passed over and is called after all is told at once, and passes over nothing", () => {
  const { order, add, tellAll, skipped } = start(1, 2, 3);
  add(2);
  tellAll();
  add(3, 1);
  expect(order.isWaiting(1) && order.isWaiting(3) && !order.isWaiting(2)).toBe(true);
  order.next(() => {})?.();
  expect(order.uncalled.map(({ stepKey }) => stepKey)).toEqual([]);
  expect(tellAll()).toEqual([2, 1, 3]);
  expect(skipped).toEqual(["s1"]);
});

test("nothing settled after a step that is being committed is told before it", () => {
  const { order, add, tellAll } = start();
  const [committing, later] = [allocate(order), allocate(order)];
  order.hold(committing);
  add(later);
  expect(tellAll()).toEqual([]);
  add(committing);
  expect(tellAll()).toEqual([committing]);
  order.hold(Infinity);
  expect(tellAll()).toEqual([committing, later]);
});

test("what was never called is known at the end", () => {
  const { order, add, tellAll } = start(1, 2, 3);
  add(1);
  tellAll();
  expect(order.uncalled.map(({ stepKey }) => stepKey)).toEqual(["s2", "s3"]);
});

test("thousands of outcomes that are called in any order are each found and put in their place without a look at all the others", () => {
  const { order } = start();
  let looks = 0;
  const count = 4000;
  for (let n = 0; n < count; n += 1) {
    const settledOrder = (n * 1009) % count;
    expect(order.isWaiting(settledOrder)).toBe(false);
    const of = {
      get settledOrder() {
        looks += 1;
        return settledOrder;
      },
      updatedAt: 0,
    };
    order.add(of, () => {});
    expect(order.isWaiting(settledOrder)).toBe(true);
  }
  expect(looks).toBeLessThan(count * 50);
});
