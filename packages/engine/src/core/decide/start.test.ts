import { expect, test } from "vitest";
import { decideRecord, needsCommitBefore, type StartSituation } from "./start.ts";

const FRESH: StartSituation = {
  isAtMostOnce: false,
  hasRow: false,
  hasCommitted: false,
  isTakeover: false,
  isLeaseOver: false,
  hasUncommittedResult: false,
  hasUncommittedWait: false,
};

test.each<[string, Partial<StartSituation>, boolean, ...(readonly [boolean, string])]>([
  ["the first body after a claim", {}, false, false, "none"],
  [
    "the first body after a claim, waits ended before it",
    { hasUncommittedWait: true },
    true,
    false,
    "none",
  ],
  ["a retry that the claim was for", { hasRow: true }, false, false, "none"],
  [
    "a retry whose delay ended beside other bodies",
    { hasRow: true, hasCommitted: true },
    true,
    true,
    "row",
  ],
  ["a body after a step that was committed alone", { hasCommitted: true }, false, false, "none"],
  [
    "a body after a wait that ended beside other bodies",
    { hasCommitted: true, hasUncommittedWait: true },
    true,
    true,
    "name",
  ],
  ["a body after a result", { hasUncommittedResult: true }, true, true, "name"],
  ["a body with nothing to carry its name", { hasUncommittedResult: true }, false, true, "row"],
  ["a retry after a result", { hasUncommittedResult: true, hasRow: true }, true, true, "row"],
  ["S5-016 a body that may start once", { isAtMostOnce: true }, true, true, "row"],
  ["S5-016 a body that may start once, first of all", { isAtMostOnce: true }, false, true, "row"],
  ["a body in a process that was frozen", { isLeaseOver: true }, false, true, "row"],
  ["a body after a lease that died", { isTakeover: true }, true, true, "row"],
])("%s", (_name, facts, canCarryNames, ...expected) => {
  const situation = { ...FRESH, ...facts };
  const decided = [needsCommitBefore(situation), decideRecord(situation, canCarryNames)];
  expect(decided).toEqual(expected);
});
