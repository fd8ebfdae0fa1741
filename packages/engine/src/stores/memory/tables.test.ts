/** The memory store finds tasks by run and children by parent. */
import { expect, test } from "vitest";
import type { ParentRef } from "../../core/model/records.ts";
import { InstanceTable } from "./instance-table.ts";
import { emptyState, type MemoryTask, taskOf } from "./state.ts";

const runOf = (runNumber: number) => ({ workflowName: "w", instanceId: "x", runNumber });

const task = (id: string, runNumber: number): MemoryTask => ({
  id,
  run: runOf(runNumber),
  kind: "run",
  status: "pending",
  runAt: 0,
  attempts: 0,
  lockOwner: null,
  claimNumber: 0,
  lockedUntil: null,
});

test("a task is found by its present run alone: the next run of an instance may keep it, or have another", () => {
  const state = emptyState(() => 0);
  state.tasks.set("a", task("a", 1));
  state.tasks.set("a", task("a", 2));
  expect([taskOf(state, runOf(1)), taskOf(state, runOf(2))?.id]).toEqual([null, "a"]);
  state.tasks.set("b", task("b", 2));
  state.tasks.delete("a");
  expect(taskOf(state, runOf(2))?.id).toBe("b");
});

const child = (runNumber: number, stepKey: string): { readonly parent: ParentRef } => ({
  parent: { ...runOf(runNumber), stepKey, onParentEnd: "abandon" },
});

test("children are found by their parent and by its step, until they are deleted or have another parent", () => {
  const table = new InstanceTable<{ readonly parent: ParentRef | null }>();
  const [one, two, other] = [child(1, "a"), child(2, "a"), child(1, "b")];
  table.set("one", one).set("two", two).set("other", other).set("x", { parent: null });
  expect(table.childrenOf(runOf(1))).toEqual([one, two, other]);
  expect(table.childrenOfStep({ ...runOf(1), stepKey: "a" })).toEqual([one]);
  const changed = { ...one, isChanged: true };
  table.set("one", changed).set("two", { parent: null }).delete("other");
  expect(table.childrenOf(runOf(1))).toEqual([changed]);
  expect(table.childrenOfStep({ ...runOf(1), stepKey: "b" })).toEqual([]);
});
