import { expect, test } from "vitest";
import { renderCallbacks, renderRunners } from "./render-overview.ts";
import { HOSTILE } from "./testing-workflows.ts";

const AT = Date.UTC(2026, 10, 27, 12);

test("S8-008 runners are told with what they hold; texts of others act on no terminal", () => {
  const lease = { workflowName: "order", runNumber: 1, until: AT, lostCount: 0 };
  const text = renderRunners(
    {
      now: AT,
      runners: [
        { runner: HOSTILE, leaseCount: 1, overdueCount: 1, firstUntil: AT, lastUntil: AT },
        { runner: null, leaseCount: 1, overdueCount: 0, firstUntil: AT, lastUntil: AT },
      ],
      leases: [
        { ...lease, id: "o-1", runner: HOSTILE, isOverdue: true, lostCount: 2 },
        { ...lease, id: "o-2", runner: null, isOverdue: false },
      ],
      isCapped: true,
    },
    null,
  );
  expect(text).toMatch(/^PROCESS .*RUNS {2}OVERDUE\n/);
  expect(text).toMatch(/order {5}o-1 .*2026-11-27T12:00:00Z {2}overdue, 2 lost before\n/);
  expect(text).toMatch(/o-2 +not known +2026-11-27T12:00:00Z\n/);
  expect(text).toContain("There are more, which end later.");
  expect(text).not.toContain("\u001b");
  const none = { now: AT, runners: [], leases: [], isCapped: false };
  expect(renderRunners(none, null)).toBe("No process holds a run.\n");
});

test("S8-008 open callbacks are told with how to go on", () => {
  const callback = {
    workflowName: "order",
    id: "o-1",
    runNumber: 1,
    status: "waiting",
    stepKey: "ask",
    name: "ask",
    createdAt: AT,
    wakeAt: null,
  } as const;
  const page = { callbacks: [callback], cursor: "next", hasNextPage: true, isIncomplete: false };
  expect(renderCallbacks(page, null)).toBe(
    "WORKFLOW  ID   STEP  SINCE\norder     o-1  ask   2026-11-27T12:00:00Z\nThere is more. Continue with: --cursor next\n",
  );
  const none = { callbacks: [], hasNextPage: false, isIncomplete: false };
  expect(renderCallbacks(none, null)).toBe("No callback is open.\n");
});
