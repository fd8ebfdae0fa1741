/** Changes that wait to be committed: versions, names, open waits, and what a refused commit returns. */
import { expect, test } from "vitest";
import type { Change, StepWrite } from "../core/model/change.ts";
import type { SettledStep } from "../core/model/records.ts";
import { toStepRecord } from "../core/model/step-record.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { openWait, step } from "../testing/store-contract/builders.ts";
import { KnownRun } from "./known-run.ts";
import { PendingChanges } from "./pending-changes.ts";
import { Undos } from "./undos.ts";
import { othersOf } from "./other-pending.ts";
import { restoreChanges } from "./with-other-tables/restore-changes.ts";

const writeOf = (change: Change): StepWrite => {
  if (change.kind !== "step") throw new TypeError("no step");
  return change.step;
};
const done = (key: string, settledOrder = 1): StepWrite => writeOf(step(key, { settledOrder }));
const running = (key: string): StepWrite => writeOf(step(key, { status: "running" }));
const waitFor = (key: string, type: string): StepWrite => writeOf(openWait(key, type, null));

function open(): { known: KnownRun; pending: PendingChanges } {
  const { host, now } = createFakeTime();
  const empty = { settled: [], open: [], events: [], hasMoreEvents: false };
  const known = new KnownRun(host, empty as unknown as ClaimedRun, { now: now(), observedAtMs: 0 });
  return { known, pending: new PendingChanges(known, new Undos()) };
}

const told = (changes: readonly Change[]): unknown[] =>
  changes.map((change) =>
    change.kind === "step"
      ? [change.step.stepKey, change.version, change.startedKeys]
      : change.kind,
  );

test("each write of a step that is taken has the next version, also when nothing was heard of the one before", () => {
  const { pending } = open();
  pending.add(running("a"));
  expect(told(pending.take([]))).toEqual([["a", 0, []]]);
  pending.add(done("a"));
  expect(told(pending.take([]))).toEqual([["a", 1, []]]);
  expect(pending.take([])).toEqual([]);
});

test("of two states of a step the later is written, once; the first write is version 0, an outcome too", () => {
  const { pending } = open();
  pending.add(running("a"));
  pending.addSettled(done("a"));
  expect(told(pending.take([]))).toEqual([["a", 0, []]]);
  expect(pending.has("a")).toBe(false);
});

test("names travel on no row that a loop may remove while their steps are in flight", () => {
  const { pending } = open();
  pending.addSettled(done("l/~0/a"));
  expect(pending.canCarryName("slow")).toBe(false);
  expect(pending.canCarryName("l/~1/b")).toBe(false);
  expect(pending.canCarryName("l/~0/b")).toBe(true);
  pending.addSettled(done("c", 2));
  expect(told(pending.take(["slow", "l/~0/b"]))).toEqual([
    ["l/~0/a", 0, ["l/~0/b"]],
    ["c", 0, ["slow"]],
  ]);
});

test("names travel on the first step that is settled, and on none that may be written again", () => {
  const { pending } = open();
  pending.add(running("a"));
  expect(pending.canCarryName("d")).toBe(false);
  pending.addSettled(done("b"));
  pending.addSettled(done("c", 2));
  expect(pending.canCarryName("d")).toBe(true);
  expect(told(pending.take(["d", "e"]))).toEqual([
    ["a", 0, []],
    ["b", 0, ["d", "e"]],
    ["c", 0, []],
  ]);
});

test("an outcome is known at once, another state only when its commit was applied", () => {
  const { known, pending } = open();
  pending.addSettled(done("a"));
  expect(known.recordOf("a")).toMatchObject({ status: "completed" });
  pending.add(waitFor("w", "go"));
  expect(known.recordOf("w")).toBeNull();
  pending.applied(pending.take([]), known.now);
  expect(known.openRecordOf("w")).toMatchObject({ status: "waiting", version: 0 });
});

test("what was decided since a commit was sent is not overwritten by what it carried", () => {
  const { known, pending } = open();
  pending.add(running("a"));
  const sent = pending.take([]);
  pending.addSettled(done("a"));
  pending.applied(sent, known.now);
  expect(known.recordOf("a")).toMatchObject({ status: "completed" });
});

test("types are awaited from the moment a wait is decided until it is settled", () => {
  const { pending } = open();
  pending.add(waitFor("w", "go"));
  pending.add(waitFor("v", "stop"));
  expect(pending.awaitedTypes).toEqual(["go", "stop"]);
  pending.addSettled(writeOf(step("w", { type: "waitForEvent", waitEventType: "go" })));
  expect(pending.awaitedTypes).toEqual(["stop"]);
});

test("a refused commit gives back what it carried, but for the steps that it was refused for and what came since", () => {
  const { pending } = open();
  for (const key of ["a", "b", "c"]) pending.add(running(key));
  const sent = pending.take([]);
  pending.add(done("b"));
  restoreChanges(pending, sent, new Set(["c"]));
  expect(told(pending.take([])).map((change) => (change as unknown[])[0])).toEqual(["b", "a"]);
});

test("nothing is kept of a step whose row is gone", () => {
  const { known, pending } = open();
  pending.addSettled(done("l/~0/a"));
  const settled = pending.take([]);
  pending.applied(settled, known.now);
  othersOf(pending).trim(["l/~0/a"]);
  const trims = pending.take([]);
  pending.applied(trims, known.now);
  pending.add(running("l/~0/a"));
  expect(told(pending.take([]))).toEqual([["l/~0/a", 0, []]]);
});

test("S5-003 a step says of each loop around it which of its writes it knows of: none, one of the commit or of an earlier one", () => {
  const { known, pending } = open();
  const loopsOf = (changes: readonly Change[]): unknown =>
    changes.map((change) => (change.kind === "step" ? (change.loops ?? null) : change.kind));
  pending.add(running("a"));
  pending.add(running("l/~0/m/~1/b"));
  const first = pending.take([]);
  expect(loopsOf(first)).toEqual([null, versions({ l: -1, "l/~0/m": -1 })]);
  pending.applied(first, known.now);
  pending.add(running("l/~0/m/~1/c"));
  pending.add(running("l"));
  expect(loopsOf(pending.take([]))).toEqual([versions({ l: 0, "l/~0/m": -1 }), null]);
  pending.add(running("l"));
  pending.take([]);
  pending.add(running("l/~2/d"));
  expect(loopsOf(pending.take([]))).toEqual([versions({ l: 1 })]);
});

test("S5-003 nothing is said of a loop that an earlier session has ended: it removes nothing more", () => {
  const { known, pending } = open();
  const { version: _none, ...ended } = toStepRecord(done("l"), {
    version: 7,
    createdAt: 1,
    now: 1,
  });
  known.history.byKey.set("l", ended as unknown as SettledStep);
  pending.add(running("l/~0/a/undo"));
  expect(pending.take([])).toMatchObject([{ loops: [] }]);
});

const versions = (of: Readonly<Record<string, number>>): unknown =>
  Object.entries(of).map(([stepKey, version]) => ({ stepKey, version }));
