import { describe, expect, it } from "vitest";
import type { RetryPolicy } from "../backoff.ts";
import { toErrorRecord } from "../error-record.ts";
import type { StepWrite } from "../model/change.ts";
import type { StepRecord } from "../model/records.ts";
import { decideAttemptCompleted } from "./attempt.ts";
import {
  decideAttemptFailed,
  decideAttemptInterrupted,
  decideStartTakenBack,
} from "./attempt-failed.ts";
import { decideDo } from "./do.ts";
import type { DoCommand } from "./first-attempt.ts";
import { LIFECYCLE } from "./lifecycle.ts";
import { NOW, identity, step } from "./testing-decisions.ts";

const NO_DETAIL = { code: null, details: null, stack: null, cause: null };

describe("decideDo", () => {
  const command: DoCommand = { ...identity, type: "do", maxAttempts: 3, timeoutMs: 10 };
  const decide = (
    record: StepRecord | null,
    { wasNamed = false, maxAttempts = 3 } = {},
  ): ReturnType<typeof decideDo> =>
    decideDo(
      record,
      { ...command, maxAttempts },
      {
        now: NOW,
        wasNamed,
        maxLostAttempts: 2,
        startsAt: NOW,
        runner: "here",
      },
    );

  it.each<[string, StepRecord | null, boolean, Partial<StepWrite>]>([
    ["a new step is attempt 1", null, false, { attempts: 1, lostAttempts: 0 }],
    [
      "a due retry is the next attempt",
      step({ attempts: 1, nextRetryAt: NOW }),
      false,
      { attempts: 2, lostAttempts: 0 },
    ],
    [
      "S5-018 an attempt whose process died is lost and uses up no retry",
      step({ status: "running", attempts: 1 }),
      false,
      { attempts: 1, lostAttempts: 1 },
    ],
    [
      "S5-017 a step that a commit named as starting lost that attempt",
      null,
      true,
      { attempts: 1, lostAttempts: 1 },
    ],
    [
      "lost attempts add up beside those that failed",
      step({ status: "running", attempts: 2, lostAttempts: 1 }),
      false,
      { attempts: 2, lostAttempts: 2 },
    ],
  ])("%s", (_name, record, wasNamed, counts) => {
    expect(decide(record, { wasNamed })).toEqual({
      kind: "run",
      started: expect.objectContaining({
        status: "running",
        maxAttempts: 3,
        timeoutMs: 10,
        ...counts,
      }),
    });
  });

  it("a retry that is not due waits", () => {
    expect(decide(step({ nextRetryAt: NOW + 1 }))).toEqual({ kind: "retryLater", until: NOW + 1 });
  });

  it.each<[string, StepRecord | null, { wasNamed?: boolean; maxAttempts?: number }]>([
    ["lost too often", step({ status: "running", attempts: 1, lostAttempts: 2 }), {}],
    ["S5-016 lost once, where only one may start", null, { wasNamed: true, maxAttempts: 1 }],
    ["S5-016 started once already", step({ status: "running", attempts: 1 }), { maxAttempts: 1 }],
  ])("S2-022 S2-007 %s: the step errors and the body does not run", (_name, record, facts) => {
    expect(decide(record, facts)).toEqual({
      kind: "exhausted",
      step: expect.objectContaining({
        status: "errored",
        error: expect.objectContaining({ code: "STEP_MAX_ATTEMPTS_EXCEEDED" }),
      }),
    });
  });

  it("a lowered limit ends the step with the error that its last attempt had", () => {
    const error = { ...NO_DETAIL, name: "Declined", message: "card" };
    const record = step({ attempts: 3, nextRetryAt: NOW, error });
    expect(decide(record, { maxAttempts: 2 })).toMatchObject({
      kind: "exhausted",
      step: { status: "errored", attempts: 2, error },
    });
  });

  it("a limit that was lowered since leaves the error of the attempt that threw", () => {
    const error = toErrorRecord(new TypeError("bug"));
    const failed = step({ attempts: 3, nextRetryAt: 0, error });
    expect(decide(failed, { maxAttempts: 2 })).toMatchObject({
      kind: "exhausted",
      step: { error },
    });
    const lost = { ...failed, status: "running", lostAttempts: 2 } as const;
    expect(decide(lost, { maxAttempts: 9 })).toMatchObject({
      kind: "exhausted",
      step: { error: { code: "STEP_MAX_ATTEMPTS_EXCEEDED" } },
    });
  });

  it("S5-018 lost attempts have a limit of their own, and use up no retry", () => {
    const lost = (lostAttempts: number) =>
      decide(step({ status: "running", attempts: 1, lostAttempts }), { maxAttempts: 2 }).kind;
    expect([lost(0), lost(1), lost(2)]).toEqual(["run", "run", "exhausted"]);
  });

  it("S0-025 attempts without bound never run out", () => {
    const decision = decide(step({ attempts: 1_000_000, nextRetryAt: 0 }), {
      maxAttempts: Infinity,
    });
    expect(decision).toMatchObject({
      kind: "run",
      started: { attempts: 1_000_001, maxAttempts: 2_147_483_647 },
    });
  });
});

describe("the end of an attempt", () => {
  const policy: RetryPolicy = { maxAttempts: 3, delayMs: 100, backoff: "linear", jitter: 0 };
  const started: StepWrite = {
    ...step(),
    status: "running",
    attempts: 2,
    nextRetry: null,
    wake: null,
  };
  const error = toErrorRecord(new Error("m"));
  const failure = { error, retryAfter: null, now: NOW, chance: 0, startedAt: 900, endedAt: 950 };

  it("a result completes the step", () => {
    expect(decideAttemptCompleted(started, "1")).toMatchObject({
      status: "completed",
      result: "1",
      attempts: 2,
    });
  });

  it("S0-111 a failure waits for the next attempt by the policy, or by the error's own delay", () => {
    const next = decideAttemptFailed(started, policy, failure);
    expect(next).toMatchObject({ status: "waiting", error, nextRetry: { inMs: 200 } });
    expect(
      decideAttemptFailed(started, policy, { ...failure, retryAfter: { inMs: 7 } }),
    ).toMatchObject({
      nextRetry: { inMs: 7 },
    });
    const retryAfter = { at: NOW + 7 };
    expect(decideAttemptFailed(started, policy, { ...failure, retryAfter })).toMatchObject({
      nextRetry: { at: NOW + 7 },
    });
  });

  it("S0-033 a final error, or the last attempt, errors the step", () => {
    expect(decideAttemptFailed(started, null, failure)).toMatchObject({
      status: "errored",
      error,
    });
    expect(decideAttemptFailed({ ...started, attempts: 3 }, policy, failure)).toMatchObject({
      status: "errored",
    });
  });

  it("an interrupted attempt counts as lost and may be repeated at once", () => {
    expect(decideAttemptInterrupted(started, NOW)).toMatchObject({
      status: "waiting",
      attempts: 1,
      lostAttempts: 1,
      nextRetry: { inMs: 0 },
    });
  });

  it("S2-023 a start whose body never ran is not counted", () => {
    expect(decideStartTakenBack(started)).toMatchObject({
      status: "waiting",
      attempts: 1,
      lostAttempts: 0,
    });
  });
});

describe("the lifecycle table", () => {
  it("S0-053 S0-119 S0-122 pause and terminate refuse terminal instances; restart takes all", () => {
    expect([LIFECYCLE.pause.refuses, LIFECYCLE.terminate.refuses]).toEqual([
      "terminal",
      "terminal",
    ]);
    expect(Object.keys(LIFECYCLE.restart.transitions)).toHaveLength(8);
    expect(Object.keys(LIFECYCLE.terminate.transitions).toSorted()).toEqual([
      "paused",
      "queued",
      "running",
      "waiting",
      "waitingForPause",
    ]);
  });
  it("S0-118 pause leaves paused and waitingForPause alone; S0-121 S5-028 resume acts on paused and on a pause not yet carried out", () => {
    expect(Object.keys(LIFECYCLE.pause.transitions).toSorted()).toEqual([
      "queued",
      "running",
      "waiting",
    ]);
    expect(Object.keys(LIFECYCLE.resume.transitions)).toEqual(["paused", "waitingForPause"]);
  });
});
