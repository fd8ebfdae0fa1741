import { expect, test } from "vitest";
import type { EventRecord } from "../core/model/records.ts";
import { KnownEvents } from "./known-events.ts";

const event = (sequence: number, type = "a"): EventRecord => ({
  id: `e${sequence}`,
  sequence,
  type,
  payload: null,
  eventId: null,
  createdAt: sequence,
  deliveredAt: null,
  consumedByStepKey: null,
});
const sequences = (known: KnownEvents): readonly number[] =>
  known.list.map(({ sequence }) => sequence);

test("a claim that brought all events leaves nothing unread", () => {
  const known = new KnownEvents({ events: [event(3), event(5)], hasMoreEvents: false });
  expect(known.isUnread("a")).toBe(false);
  expect(known.sequence).toBe(5);
  expect(known.sequenceFor(["a", "b"])).toBe(5);
});

test("S5-012 behind a page every type is unread until its own pages were read", () => {
  const known = new KnownEvents({ events: [event(1), event(2)], hasMoreEvents: true });
  expect(known.isUnread("b")).toBe(true);
  expect(known.readAfter("b")).toBe(2);
  known.read(["b"], { events: [event(4, "b")], upTo: 4, hasMore: true });
  expect([known.isUnread("b"), known.readAfter("b")]).toEqual([true, 4]);
  known.read(["b"], { events: [event(9, "b")], upTo: 12, hasMore: false });
  expect([known.isUnread("b"), known.isUnread("c")]).toEqual([false, true]);
  expect(sequences(known)).toEqual([1, 2, 4, 9]);
});

test("S5-012 a run parks on what is known of all types that its waits ask for", () => {
  const known = new KnownEvents({ events: [event(2)], hasMoreEvents: true });
  known.read(["b"], { events: [], upTo: 12, hasMore: false });
  known.read(["c"], { events: [], upTo: 14, hasMore: false });
  expect(known.sequenceFor(["b", "c"])).toBe(12);
  expect(known.sequenceFor(["c"])).toBe(14);
  expect(known.sequenceFor(["b", "unread"])).toBe(2);
  expect(known.sequenceFor([])).toBe(2);
});

test("S5-012 after a commit that read another page, what was read by type may be incomplete", () => {
  const known = new KnownEvents({ events: [event(1)], hasMoreEvents: true });
  known.read(["b"], { events: [event(8, "b")], upTo: 9, hasMore: false });
  known.observe({ events: [event(2), event(3)], hasMoreEvents: true });
  expect([known.isUnread("b"), known.readAfter("b")]).toEqual([true, 9]);
  known.observe({ events: [event(8, "b"), event(11, "b")], hasMoreEvents: false });
  expect(known.isUnread("b")).toBe(false);
  expect(sequences(known)).toEqual([1, 2, 3, 8, 11]);
  expect(known.sequence).toBe(11);
});

test("an event that a wait took does not come back with a later page, one that was given back does", () => {
  const known = new KnownEvents({ events: [event(1), event(2)], hasMoreEvents: true });
  known.take("e2");
  known.read(["a"], { events: [event(1), event(2), event(3)], upTo: 3, hasMore: false });
  expect(sequences(known)).toEqual([1, 3]);
  known.release(event(2).id);
  expect(sequences(known)).toEqual([1, 2, 3]);
});

test("S6-014 a page of several types is read from where the least is known of them", () => {
  const known = new KnownEvents({ events: [event(3)], hasMoreEvents: true });
  known.read(["b"], { events: [event(9, "b")], upTo: 9, hasMore: true });
  expect([known.sequenceFor(["a", "b"]), known.isUnread("a", "b")]).toEqual([3, true]);
  known.read(["a", "b"], { events: [event(5), event(9, "b")], upTo: 7, hasMore: false });
  expect(known.sequenceFor(["a", "b"])).toBe(7);
  expect(known.isUnread("a", "b")).toBe(false);
  expect(known.isUnread("a", "c")).toBe(true);
  expect(sequences(known)).toEqual([3, 5, 9]);
});
