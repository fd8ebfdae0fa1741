/** Instants are the database's, which is 1000 ms ahead of the process's monotonic clock. */
import { expect, test } from "vitest";
import { DueWork } from "./due-work.ts";

const nothing = { nextDueAt: null, nextWakeAt: null };
const at = (ms: number) => ({ sentMs: ms - 1000, answeredMs: ms - 1000 });

test("a tick that a request began wakes for the first of what it parked", () => {
  const dueWork = new DueWork({ wakesFor: "own" });
  dueWork.noteClaim({ now: 1000, ...nothing }, at(1000));
  dueWork.notePark(3000);
  dueWork.notePark(2000);
  expect(dueWork.tell(100)).toMatchObject({ nextWakeInMs: 900, nextWakeAt: 2000 });
});

test("a tick that takes what it parked itself wakes for what it parked after that", () => {
  const dueWork = new DueWork({ wakesFor: "own" });
  dueWork.noteClaim({ now: 1000, ...nothing }, at(1000));
  dueWork.notePark(2000);
  dueWork.notePark(3000);
  // There was no wake for the instant that has passed, so no tick looked which wake comes next.
  dueWork.noteClaim({ now: 2000, nextDueAt: 3000, nextWakeAt: 3000 }, at(2000));
  expect(dueWork.tell(1000)).toMatchObject({ nextWakeInMs: 1000, nextWakeAt: 3000 });
});

test("what others parked is others' to wake for, before and after the tick parked something later", () => {
  const dueWork = new DueWork({ wakesFor: "own" });
  dueWork.noteClaim({ now: 1000, nextDueAt: 1500, nextWakeAt: 1500 }, at(1000));
  expect(dueWork.tell(0).nextWakeAt).toBeNull();
  dueWork.notePark(2000);
  expect(dueWork.tell(0).nextWakeAt).toBeNull();
});

test("what is passed on is no more the tick's to wake for, but what it parks afterwards is", () => {
  const dueWork = new DueWork({ wakesFor: "due" });
  dueWork.noteClaim({ now: 1000, nextDueAt: 1500, nextWakeAt: 1500 }, at(1000));
  expect(dueWork.passOn(0)).toMatchObject({ nextWakeInMs: 500, nextWakeAt: 1500 });
  expect(dueWork.passOn(0)).toBeNull();
  dueWork.notePark(1200);
  expect(dueWork.tell(0)).toMatchObject({ nextWakeAt: 1200, thenWakeAt: 1500 });
});

test("what a call saw due beside the run that it claimed is looked for at once, and less often once a claim did not get it", () => {
  const dueWork = new DueWork({});
  const due = { nextDueAt: 900, nextWakeAt: 900 };
  dueWork.noteClaim({ now: 1000, ...due }, at(1000));
  expect(dueWork.nextCheck(0)).toEqual({ inMs: 0, next: null });
  dueWork.noteClaim({ now: 1001, ...due, runs: [] }, at(1001));
  expect(dueWork.nextCheck(1)).toEqual({ inMs: 250, next: null });
  dueWork.noteClaim({ now: 1251, ...due, runs: [] }, at(1251));
  expect(dueWork.nextCheck(251)).toEqual({ inMs: 500, next: null });
});
