import { describe, expect, it } from "vitest";
import type { EventRecord, StepRecord } from "../model/records.ts";
import { decideReceive, type ReceiveCommand, type ReceiveSituation } from "./receive.ts";

const NOW = 1000;

const COMMAND: ReceiveCommand = {
  newId: "new",
  stepKey: "in",
  name: "in",
  type: "receive",
  types: ["b", "a"],
  waitTypes: "a,b",
  min: 1,
  count: 3,
  timeoutMs: 500,
  maxBytes: 1000,
};

const event = (sequence: number, type = "a", over: Partial<EventRecord> = {}): EventRecord => ({
  id: `e${sequence}`,
  sequence,
  type,
  payload: "1",
  eventId: null,
  createdAt: 890 + sequence,
  deliveredAt: null,
  consumedByStepKey: null,
  ...over,
});

/** Open since 800, until `wakeAt`. */
const open = (wakeAt: number, waitEventType = "a,b"): StepRecord => ({
  id: "row",
  stepKey: "in",
  name: "in",
  type: "receive",
  status: "waiting",
  attempts: 0,
  lostAttempts: 0,
  maxAttempts: 1,
  timeoutMs: null,
  nextRetryAt: null,
  wakeAt,
  waitEventType,
  result: null,
  error: null,
  attemptStartedAt: null,
  runner: null,
  failedAttempts: null,
  settledOrder: null,
  version: 0,
  createdAt: 800,
  updatedAt: 800,
});

const decide = (
  record: StepRecord | null,
  events: readonly EventRecord[],
  over: Partial<ReceiveCommand & ReceiveSituation> = {},
): ReturnType<typeof decideReceive> => {
  const { now = NOW, mayBeMore = false } = over;
  return decideReceive(record, { ...COMMAND, ...over }, { now, events, mayBeMore });
};

const taken = (decision: ReturnType<typeof decideReceive>): unknown =>
  decision.kind === "deliver" ? decision.events.map(({ id }) => id) : decision.kind;

describe("decideReceive", () => {
  it("S6-014 without events a new wait is recorded with its types and timeout", () => {
    expect(decide(null, [event(1, "c")])).toMatchObject({
      kind: "wait",
      wake: { inMs: 500 },
      step: { id: "new", status: "waiting", waitEventType: "a,b", wake: { inMs: 500 } },
    });
    expect(decide(open(1500), [])).toEqual({ kind: "wait", wake: { at: 1500 }, step: null });
  });

  it("S6-014 takes the oldest of its types, up to the count", () => {
    const events = [event(1), event(2, "c"), event(3, "b"), event(4), event(5)];
    const decision = decide(null, events);
    expect(taken(decision)).toEqual(["e1", "e3", "e4"]);
    expect(decision).toMatchObject({ at: null, step: { status: "completed" } });
    const { step } = decision as { step: { result: string } };
    expect(JSON.parse(step.result)).toEqual([
      { type: "a", createdAt: 891, id: "e1", payload: 1 },
      { type: "b", createdAt: 893, id: "e3", payload: 1 },
      { type: "a", createdAt: 894, id: "e4", payload: 1 },
    ]);
  });

  it("S6-014 reads on while the batch has room and more may be there", () => {
    const more = { mayBeMore: true };
    expect(taken(decide(null, [event(1), event(2)], more))).toBe("read");
    expect(taken(decide(open(900), [], more))).toBe("read");
    expect(taken(decide(null, [event(1), event(2), event(3)], more))).toEqual(["e1", "e2", "e3"]);
    expect(taken(decide(null, [event(1), event(2)], { ...more, maxBytes: 60 }))).toEqual(["e1"]);
  });

  it("S6-014 ends before its bytes are too many, with one event at least", () => {
    const large = event(1, "a", { payload: `"${"x".repeat(2000)}"` });
    expect(taken(decide(null, [large, event(2)]))).toEqual(["e1"]);
    expect(taken(decide(null, [event(1), large, event(3)]))).toEqual(["e1"]);
  });

  it("S6-014 was complete when the last event came that it needed", () => {
    const events = [event(1), event(2), event(3)];
    expect(decide(open(1500), events)).toMatchObject({ at: 891 });
    expect(decide(open(1500), events, { min: 2 })).toMatchObject({ at: 892 });
    expect(decide({ ...open(1500), createdAt: 895 }, events)).toMatchObject({ at: 895 });
  });

  it("S6-014 waits for `min` until its deadline, and then takes what came in time", () => {
    expect(decide(open(1500), [event(1)], { min: 2 })).toMatchObject({ kind: "wait", step: null });
    const late = event(120);
    const over = decide(open(1000), [event(1), late], { min: 3 });
    expect(taken(over)).toEqual(["e1"]);
    expect(over).toMatchObject({ at: 1000, step: { status: "completed" } });
  });

  it("S6-014 gives an empty batch at the deadline, and none of the events that came after it", () => {
    expect(decide(open(1000), [])).toMatchObject({
      kind: "deliver",
      events: [],
      at: 1000,
      step: { result: "[]" },
    });
    expect(taken(decide(open(950), [event(61)]))).toEqual([]);
    expect(taken(decide(open(950), [event(60)]))).toEqual(["e60"]);
  });

  it("S6-014 goes on with other types, and a mark of those that history has", () => {
    expect(decide(open(1500, "a,old"), [])).toMatchObject({
      kind: "wait",
      step: {
        id: "row",
        waitEventType: "a,b",
        wake: { at: 1500 },
        error: { code: "HISTORY_DIVERGED", details: { recorded: "a,old", called: "a,b" } },
      },
    });
  });
});
