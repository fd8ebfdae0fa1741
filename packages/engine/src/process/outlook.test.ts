/** Instants are the database's, which is 1000 ms ahead of the process's monotonic clock. */
import { expect, test } from "vitest";
import { Outlook } from "./outlook.ts";

const nothing = { nextDueAt: null, nextWakeAt: null };
const at = (ms: number) => ({ sentMs: ms - 1000, answeredMs: ms - 1000 });

test("a tick that a request began wakes for the first of what it parked", () => {
  const outlook = new Outlook({ wakesFor: "own" });
  outlook.noteClaim({ now: 1000, ...nothing }, at(1000));
  outlook.notePark(3000);
  outlook.notePark(2000);
  expect(outlook.tell(100)).toMatchObject({ nextWakeInMs: 900, nextWakeAt: 2000 });
});

test("a tick that takes what it parked itself wakes for what it parked after that", () => {
  const outlook = new Outlook({ wakesFor: "own" });
  outlook.noteClaim({ now: 1000, ...nothing }, at(1000));
  outlook.notePark(2000);
  outlook.notePark(3000);
  // There was no wake for the instant that has passed, so no tick looked which wake comes next.
  outlook.noteClaim({ now: 2000, nextDueAt: 3000, nextWakeAt: 3000 }, at(2000));
  expect(outlook.tell(1000)).toMatchObject({ nextWakeInMs: 1000, nextWakeAt: 3000 });
});

test("what others parked is others' to wake for, before and after the tick parked something later", () => {
  const outlook = new Outlook({ wakesFor: "own" });
  outlook.noteClaim({ now: 1000, nextDueAt: 1500, nextWakeAt: 1500 }, at(1000));
  expect(outlook.tell(0).nextWakeAt).toBeNull();
  outlook.notePark(2000);
  expect(outlook.tell(0).nextWakeAt).toBeNull();
});

test("what is passed on is no more the tick's to wake for, but what it parks afterwards is", () => {
  const outlook = new Outlook({ wakesFor: "due" });
  outlook.noteClaim({ now: 1000, nextDueAt: 1500, nextWakeAt: 1500 }, at(1000));
  expect(outlook.passOn(0)).toMatchObject({ nextWakeInMs: 500, nextWakeAt: 1500 });
  expect(outlook.passOn(0)).toBeNull();
  outlook.notePark(1200);
  expect(outlook.tell(0)).toMatchObject({ nextWakeAt: 1200, thenWakeAt: 1500 });
});

test("what a call saw due beside the run that it claimed is looked for at once, and less often once a claim did not get it", () => {
  const outlook = new Outlook({});
  const due = { nextDueAt: 900, nextWakeAt: 900 };
  outlook.noteClaim({ now: 1000, ...due }, at(1000));
  expect(outlook.nextLook(0)).toEqual({ inMs: 0, next: null });
  outlook.noteClaim({ now: 1001, ...due, runs: [] }, at(1001));
  expect(outlook.nextLook(1)).toEqual({ inMs: 250, next: null });
  outlook.noteClaim({ now: 1251, ...due, runs: [] }, at(1251));
  expect(outlook.nextLook(251)).toEqual({ inMs: 500, next: null });
});
