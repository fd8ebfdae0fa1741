import { expect, test } from "vitest";
import { renderActivity } from "./render-activity.ts";

const AT = Date.UTC(2026, 10, 27, 12);
const NONE = {
  created: 0,
  complete: 0,
  errored: 0,
  terminated: 0,
  started: 0,
  waitMs: null,
  waitsEnded: 0,
  latenessMs: null,
} as const;
const look = { last: "hour", width: null };

test("S8-008 S8-010 what went on is told in a sentence, by stretches of time, and by what is due", () => {
  const spread = { median: 10, p95: 999, longest: 5000 };
  const late = { median: 10, p95: 2400, longest: 5000 };
  const text = renderActivity(
    {
      now: AT + 60_000,
      bucketMs: 60_000,
      buckets: [
        { at: AT - 60_000, ...NONE },
        { ...NONE, at: AT, complete: 7, errored: 3, waitMs: spread, started: 9 },
        { ...NONE, at: AT + 60_000, waitsEnded: 4, latenessMs: late },
      ],
      due: [{ workflowName: "order", count: 5, isCapped: true, oldestAt: AT }],
      lookedFrom: AT - 30_000,
    },
    look,
  );
  expect(text).toBe(
    "In the last hour 7 completed and 3 failed.\n\n" +
      "FROM                  COMPLETE  ERRORED  STARTED  START WAIT  WAITS  LATENESS\n" +
      "2026-11-27T12:00:00Z  7         3        9        999 ms\n" +
      "2026-11-27T12:01:00Z                                          4      2.4 s\n" +
      "START WAIT and LATENESS: 95 of 100 took no longer.\n" +
      "Only the newest instances were looked at: none of those created before 2026-11-27T11:59:30Z.\n\n" +
      "WORKFLOW  DUE NOW  SINCE\n" +
      "order     5+       2026-11-27T12:00:00Z\n",
  );
});

test("S8-008 S8-010 where nothing was it says so", () => {
  const nothing = { now: AT, bucketMs: 60_000, buckets: [{ at: AT, ...NONE }], due: [] };
  expect(renderActivity(nothing, look)).toBe(
    "In the last hour 0 completed and 0 failed.\n\nNothing waits for a runner.\n",
  );
});
