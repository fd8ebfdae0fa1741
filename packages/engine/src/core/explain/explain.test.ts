import { describe, expect, test } from "vitest";
import { NEVER_AT } from "../decide/park.ts";
import { explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import type { ExplainFacts, InstanceFacts, OpenStep, TaskFacts } from "./facts.ts";
import { inWords } from "./sentences.ts";

const NOW = 1_000_000;

const instanceFacts = (given: Partial<InstanceFacts>): InstanceFacts => ({
  workflowName: "w",
  instanceId: "x",
  runNumber: 1,
  status: "waiting",
  error: null,
  diverged: [],
  pauseRequested: false,
  endRequested: null,
  retryCount: 0,
  deadlineAt: null,
  updatedAt: NOW - 10,
  startedAt: NOW - 10,
  completedAt: null,
  ...given,
});

const taskFacts = (given: Partial<TaskFacts>): TaskFacts => ({
  kind: "wake",
  status: "pending",
  runAt: NOW + 60_000,
  lockedUntil: null,
  attempts: 0,
  ...given,
});

const open = (stepKey: string, given: Partial<OpenStep> = {}): OpenStep => ({
  stepKey,
  type: "sleep",
  status: "waiting",
  attempts: 0,
  maxAttempts: 1,
  nextRetryAt: null,
  wakeAt: null,
  waitEventType: null,
  attemptStartedAt: null,
  runner: null,
  error: null,
  ...given,
});

interface Given {
  readonly instance?: Partial<InstanceFacts>;
  readonly task?: Partial<TaskFacts> | null;
  readonly openSteps?: readonly OpenStep[];
  readonly facts?: Partial<ExplainFacts>;
  readonly isRegistered?: boolean;
}

const told = ({ instance = {}, task = {}, openSteps = [], facts, isRegistered }: Given) =>
  explain(
    {
      now: NOW,
      instance: instanceFacts(instance),
      task: task === null ? null : taskFacts(task),
      openSteps,
      hasMoreSteps: false,
      events: [],
      hasMoreTypes: false,
      children: [],
      ...facts,
    },
    { isRegistered: isRegistered ?? true },
  );

const held = (given: Partial<TaskFacts> = {}): Partial<TaskFacts> => ({
  status: "processing",
  attempts: 1,
  lockedUntil: NOW + 30_000,
  ...given,
});

const failed = { name: "RangeError", message: "no" };
const event = open("e", { type: "waitForEvent", waitEventType: "a,b" });

const TABLE: readonly (readonly [string, Given, object])[] = [
  [
    "ended",
    { instance: { status: "complete", completedAt: 7 }, task: null },
    { cause: "complete", since: 7 },
  ],
  [
    "failed",
    { instance: { status: "errored", error: failed }, task: null },
    { cause: "errored", error: failed },
  ],
  [
    "terminated, whatever was asked",
    { instance: { status: "terminated", endRequested: "cancel" }, task: null },
    { cause: "terminated" },
  ],
  ["paused", { instance: { status: "paused" }, task: null }, { cause: "paused" }],
  ["no task", { task: null }, { cause: "noTask" }],
  [
    "held",
    { task: held(), openSteps: [open("s", { status: "running", type: "do" })] },
    { cause: "held", until: NOW + 30_000, running: ["s"] },
  ],
  [
    "held and to be paused",
    { task: held(), instance: { pauseRequested: true } },
    { cause: "pauseRequested" },
  ],
  [
    "held and to end",
    { task: held(), instance: { endRequested: "rollback" } },
    { cause: "endRequested", request: "rollback", until: NOW + 30_000 },
  ],
  [
    "held past its deadline",
    { task: held(), instance: { deadlineAt: NOW } },
    { cause: "endRequested", request: "deadline" },
  ],
  [
    "a lease that has just ended",
    { task: held({ lockedUntil: NOW }) },
    { cause: "leaseEnded", since: NOW },
  ],
  ["a lease without an end", { task: held({ lockedUntil: null }) }, { cause: "leaseEnded" }],
  [
    "two lost leases",
    { task: held({ lockedUntil: NOW - 1, attempts: 2 }) },
    { cause: "crashLoop", lostLeases: 2 },
  ],
  [
    "a third try",
    { task: held({ attempts: 3 }) },
    { cause: "crashLoop", lostLeases: 2, until: NOW + 30_000 },
  ],
  ["a second try", { task: held({ attempts: 2 }) }, { cause: "held" }],
  ["due", { task: { runAt: NOW - 5000 } }, { cause: "due", since: NOW - 5000, dueForMs: 5000 }],
  ["due now", { task: { runAt: NOW } }, { cause: "due", dueForMs: 0 }],
  ["due elsewhere", { task: { runAt: NOW }, isRegistered: false }, { cause: "unregistered" }],
  ["waiting elsewhere", { openSteps: [open("s")], isRegistered: false }, { cause: "sleeping" }],
  [
    "due to end",
    { task: { runAt: NOW }, instance: { endRequested: "cancel" } },
    { cause: "endRequested", request: "cancel" },
  ],
  [
    "starts later",
    { instance: { startedAt: NOW + 60_000 } },
    { cause: "startsLater", until: NOW + 60_000 },
  ],
  [
    "begins again",
    { instance: { startedAt: NOW + 60_000, retryCount: 2, error: failed } },
    { cause: "runRetry", retryCount: 2, error: failed },
  ],
  [
    "sleeps",
    { openSteps: [open("s", { wakeAt: NOW + 5 })] },
    { cause: "sleeping", step: "s", until: NOW + 5 },
  ],
  [
    "waits for an event",
    { openSteps: [event] },
    { cause: "waitsForEvent", types: ["a", "b"], buffered: [] },
  ],
  [
    "waits for an event never",
    { openSteps: [{ ...event, wakeAt: NEVER_AT }] },
    { cause: "waitsForEvent" },
  ],
  [
    "waits for a callback",
    { openSteps: [open("k", { type: "waitForEvent", waitEventType: "callback k" })] },
    { cause: "waitsForCallback", step: "k" },
  ],
  [
    "waits for a topic",
    { openSteps: [open("k", { type: "waitForTopic", waitEventType: "topic news" })] },
    { cause: "waitsForTopic", topic: "news" },
  ],
  [
    "waits for a child that is gone",
    { openSteps: [open("k", { type: "invoke", waitEventType: "child c k" })] },
    { cause: "waitsForChild", child: null },
  ],
  [
    "retries a step",
    {
      openSteps: [
        open("k", { type: "do", attempts: 2, maxAttempts: 5, nextRetryAt: NOW + 9, error: failed }),
      ],
    },
    { cause: "retryingStep", until: NOW + 9, attempts: 2, maxAttempts: 5, error: failed },
  ],
  [
    "several waits: the one that ends first",
    { openSteps: [event, open("late", { wakeAt: NOW + 90 }), open("soon", { wakeAt: NOW + 50 })] },
    { cause: "sleeping", step: "soon", otherWaits: 2 },
  ],
  [
    "a wait that the code has left",
    {
      openSteps: [event, open("s")],
      instance: { diverged: [{ kind: "notCalled", stepKey: "e", recorded: "a", called: null }] },
    },
    { cause: "sleeping", otherWaits: 0 },
  ],
  [
    "only waits that the code has left",
    {
      openSteps: [event],
      instance: { diverged: [{ kind: "notCalled", stepKey: "e", recorded: "a", called: null }] },
    },
    { cause: "diverged" },
  ],
  ["nothing open", {}, { cause: "scheduled", until: NOW + 60_000 }],
];

describe("S8-003 from facts to the cause", () => {
  test.each(TABLE)("S8-003 cause of one that is: %s", (_is, given, expected) => {
    const explanation = told(given);
    expect(explanation).toMatchObject(expected);
    expect(explanation.sentence).toMatch(/^[A-Z][^\n]+[.)]$/);
    expect(explanation.sentence).not.toMatch(/undefined|null|NaN|Infinity/);
  });

  test("S8-003 nothing that never ends by itself has an end", () => {
    expect(told({ openSteps: [{ ...event, wakeAt: NEVER_AT }] })).not.toHaveProperty("until");
    expect(told({ task: { runAt: NEVER_AT } })).not.toHaveProperty("until");
  });

  test("S8-003 the child of the step is the one that it waits for now", () => {
    const child = { workflowName: "c", runNumber: 1, status: "paused" as const, stepKey: "k" };
    const explanation = told({
      openSteps: [open("k", { type: "invoke", waitEventType: "child new k" })],
      facts: {
        children: [
          { ...child, instanceId: "old" },
          { ...child, instanceId: "new" },
        ],
      },
    });
    expect(explanation).toMatchObject({ child: { id: "new", status: "paused" } });
    expect(explanation.sentence).toContain(`its child "new" of workflow "c", which is paused`);
  });

  test("S8-003 a deadline that is to come is told of; one that was overtaken is not", () => {
    const at = NOW + 3_600_000;
    expect(told({ instance: { deadlineAt: at } }).sentence).toContain("Its deadline is in 1 hour.");
    const ended = told({ instance: { deadlineAt: at, status: "complete" }, task: null });
    expect([ended.deadlineAt, ended.sentence.includes("deadline")]).toEqual([null, false]);
  });

  test("S8-003 names and messages cannot break the sentence, nor make it long", () => {
    const hostile = `a"\n\u0000\u202e${"x".repeat(10_000)}`;
    const explanation: Explanation = told({
      openSteps: [
        open(hostile, {
          type: "do",
          nextRetryAt: NOW,
          error: { name: "E", message: hostile },
        }),
      ],
    });
    expect(explanation.sentence).not.toMatch(/[\n\0]/);
    expect(explanation.sentence.length).toBeLessThan(1000);
  });

  test("S8-003 lengths of time in words", () => {
    const words = [0, 999, 1000, 61_000, 3_600_000, 90_061_000, 86_400_000 * 400].map(inWords);
    expect(words).toEqual([
      "0 ms",
      "999 ms",
      "1 second",
      "1 minute 1 second",
      "1 hour",
      "1 day 1 hour",
      "400 days",
    ]);
  });
});
