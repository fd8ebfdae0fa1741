/** What remains of a step that nothing waits for any more. */
import { expect, test } from "vitest";
import { createErrorRecord } from "../core/stored-error.ts";
import type { StepType } from "../core/model/status.ts";
import { step } from "../testing/store-contract/builders.ts";
import { toClosedWrite } from "./open-write.ts";

const ERROR = createErrorRecord("STEP_NOT_AWAITED", { name: "StepNotAwaited", message: "over" });

test.each<[StepType, string | null]>([
  ["waitForEvent", null],
  ["do", null],
  ["loop", `"kept"`],
])("a closed %s keeps of its row's mark: %s", (type, kept) => {
  const nextRetry = { inMs: 5 };
  const open = step("a", { type, status: "waiting", result: `"kept"`, nextRetry }).step;
  expect(toClosedWrite(open, "errored", ERROR)).toEqual({
    ...open,
    status: "errored",
    result: kept,
    error: ERROR,
    nextRetry: null,
  });
});
