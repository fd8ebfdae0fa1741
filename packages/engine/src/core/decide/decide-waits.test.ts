/** Decisions about sleeps, waits and parks. */
import { describe, expect, it } from "vitest";
import type { EventRecord, StepRecord } from "../model/records.ts";
import { decidePark } from "./park.ts";
import { decideSleep } from "./sleep.ts";
import { decideWaitForEvent, type WaitForEventCommand } from "./wait-for-event.ts";
import { NOW, identity, step } from "./testing-decisions.ts";

describe("decideSleep", () => {
  const command = { ...identity, type: "sleep" as const, wake: { inMs: 50 } };
  it("a new sleep is recorded and waits", () => {
    expect(decideSleep(null, command, NOW)).toMatchObject({
      kind: "wait",
      wake: { inMs: 50 },
      step: { status: "waiting", id: "new" },
    });
  });
  it("a recorded sleep keeps its wake time whatever the code says now", () => {
    expect(decideSleep(step({ type: "sleep", wakeAt: NOW + 1 }), command, NOW)).toEqual({
      kind: "wait",
      wake: { at: NOW + 1 },
      step: null,
    });
    expect(decideSleep(step({ type: "sleep", wakeAt: NOW }), command, NOW)).toMatchObject({
      kind: "over",
      step: { status: "completed" },
    });
  });
  it("a sleep of nothing, or until the past, is over at once", () => {
    expect(decideSleep(null, { ...command, wake: { inMs: 0 } }, NOW).kind).toBe("over");
    expect(decideSleep(null, { ...command, wake: { at: NOW - 1 } }, NOW).kind).toBe("over");
    expect(decideSleep(null, { ...command, wake: { at: NOW + 1 } }, NOW).kind).toBe("wait");
  });
});

describe("decideWaitForEvent", () => {
  const command: WaitForEventCommand = {
    ...identity,
    type: "waitForEvent",
    eventType: "go",
    timeoutMs: 500,
    since: "run",
  };
  const event = (over: Partial<EventRecord> = {}): EventRecord => ({
    id: "e",
    sequence: 1,
    type: "go",
    payload: '{"a":1}',
    eventId: null,
    createdAt: 900,
    deliveredAt: null,
    consumedByStepKey: null,
    ...over,
  });
  const waiting = step({ type: "waitForEvent", wakeAt: 950, waitEventType: "go", createdAt: 800 });
  const decide = (
    record: StepRecord | null,
    events: readonly EventRecord[],
    over: Partial<WaitForEventCommand> = {},
  ): ReturnType<typeof decideWaitForEvent> =>
    decideWaitForEvent(record, { ...command, ...over }, { now: NOW, events, knownSequence: 7 });

  it("S0-037 without an event a new wait is recorded with its type and timeout", () => {
    expect(decide(null, [event({ type: "other" })])).toMatchObject({
      kind: "wait",
      wake: { inMs: 500 },
      step: { status: "waiting", waitEventType: "go" },
    });
  });

  it("S0-038 S0-130 the oldest event of the type is delivered", () => {
    const decision = decide(null, [event({ id: "old" }), event({ id: "new", createdAt: 901 })]);
    expect(decision).toMatchObject({
      kind: "deliver",
      event: { id: "old" },
      step: { status: "completed" },
    });
    expect(decision.kind === "deliver" && JSON.parse(decision.step.result ?? "")).toEqual({
      type: "go",
      createdAt: 900,
      id: "old",
      payload: { a: 1 },
    });
  });

  it("an event without payload has none", () => {
    const decision = decide(null, [event({ payload: null })]);
    expect(decision.kind === "deliver" && decision.step.result).toBe(
      '{"type":"go","createdAt":900,"id":"e"}',
    );
  });

  it.each([949, 950])(
    "S2-003 S2-025 S2-044 an event of %d is delivered after the deadline of 950 has passed",
    (createdAt) => {
      expect(decide(waiting, [event({ createdAt })]).kind).toBe("deliver");
    },
  );

  it("S2-008 S2-024 S2-043 an event after the deadline does not complete the wait: it times out", () => {
    expect(decide(waiting, [event({ createdAt: 951 })])).toMatchObject({
      kind: "timeout",
      step: { status: "errored", error: { name: "EventTimeout", code: "EVENT_TIMEOUT" } },
    });
  });

  it("a wait whose deadline is ahead goes on waiting; one without deadline does for ever", () => {
    expect(decide({ ...waiting, wakeAt: NOW + 1 }, [])).toEqual({
      kind: "wait",
      wake: { at: NOW + 1 },
      step: null,
    });
    expect(decide({ ...waiting, wakeAt: null }, [event()]).kind).toBe("deliver");
  });

  it("since: wait passes over events from before the wait", () => {
    expect(decide(null, [event()], { since: "wait" }).kind).toBe("wait");
    expect(
      decide({ ...waiting, wakeAt: NOW + 1 }, [event({ createdAt: 799 })], { since: "wait" }).kind,
    ).toBe("wait");
    expect(
      decide({ ...waiting, wakeAt: NOW + 1 }, [event({ createdAt: 800 })], { since: "wait" }).kind,
    ).toBe("deliver");
  });

  it("since: wait passes over an event of the same millisecond that was known when the wait was recorded", () => {
    const recorded = decide(null, [event({ sequence: 7 })], { since: "wait" });
    expect(recorded).toMatchObject({ kind: "wait", step: { result: "7" } });
    const open = { ...waiting, result: "7", wakeAt: NOW + 1, createdAt: 800 };
    const known = event({ sequence: 7, createdAt: 800 });
    expect(decide(open, [known], { since: "wait" }).kind).toBe("wait");
    expect(
      decide(open, [known, event({ id: "next", sequence: 8, createdAt: 800 })], { since: "wait" }),
    ).toMatchObject({
      kind: "deliver",
      event: { id: "next" },
      step: { result: expect.stringContaining('"payload"') },
    });
    expect(decide(null, []).kind === "wait" && decide(null, [])).toMatchObject({
      step: { result: null },
    });
  });
});

describe("decidePark", () => {
  it("S0-101 gives the earliest instant of each kind", () => {
    const waits = [
      { kind: "wake" as const, wake: { at: 30 } },
      { kind: "retry" as const, wake: { at: 20 } },
      { kind: "wake" as const, wake: { inMs: 9 } },
      { kind: "wake" as const, wake: { inMs: 5 } },
    ];
    expect(decidePark(waits)).toEqual({ kind: "park", taskKind: "wake", at: 20, inMs: 5 });
    expect(decidePark(waits.toReversed())).toEqual(decidePark(waits));
    expect(decidePark([{ kind: "retry", wake: { inMs: 5 } }])).toEqual({
      kind: "park",
      taskKind: "retry",
      at: null,
      inMs: 5,
    });
  });
});
