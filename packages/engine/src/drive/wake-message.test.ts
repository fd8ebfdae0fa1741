import { expect, test } from "vitest";
import {
  BARE_WAKE,
  isForOthers,
  joinWakes,
  parseWakeMessage,
  toForwardSeconds,
  toWakeMessage,
  type WakeMessage,
} from "./wake-message.ts";

test.each([
  "",
  "null",
  "[]",
  "7",
  "{",
  "{}",
  '{"kind":"tock"}',
  '{"kind":"tick","hopCount":-1}',
  '{"kind":"tick","hopCount":1.5}',
  '{"kind":"tick","at":"soon"}',
  '{"kind":"tick","thenAt":"later"}',
  '{"kind":"tick","workflows":"order"}',
  '{"kind":"tick","workflows":[7]}',
  '{"kind":"tick","forwardCount":-1}',
])("%j is no wake", (text) => {
  expect(parseWakeMessage(text)).toBe(null);
});

test("what is written is read, and what an earlier version wrote", () => {
  const wake: WakeMessage = {
    hopCount: 2,
    at: 7000,
    thenAt: 9000,
    isOfRequest: true,
    workflows: ["order", "refund"],
    forwardCount: 1,
  };
  expect(parseWakeMessage(toWakeMessage(wake))).toEqual(wake);
  expect(parseWakeMessage('{"kind":"tick"}')).toEqual(BARE_WAKE);
  expect(parseWakeMessage('{"kind":"tick","hopCount":3,"at":5}')).toMatchObject({
    hopCount: 3,
    at: 5,
  });
});

const OF_REQUEST = { isOfRequest: true };
const LINK = { at: 5000, thenAt: 9000 };

test.each<[what: string, workflows: string[], own: string[], isLeft: boolean]>([
  ["who runs as much", ["order"], ["order"], false],
  ["who runs more", ["order"], ["order", "refund"], false],
  ["who runs less", ["order", "refund"], ["order"], true],
  ["who runs other ones", ["order"], ["refund"], true],
  ["what does not say whose it is", [], ["order"], false],
  ["who does not know what it runs", ["order"], [], false],
])("S9-012 a wake is left to others by %s: only by who lacks a workflow", (...given) => {
  const [, workflows, own, isLeft] = given;
  expect(isForOthers({ ...BARE_WAKE, workflows }, own)).toBe(isLeft);
});

test("S9-012 what nobody runs any more goes round 14 times in a minute or so, mostly by the second", () => {
  const delays: number[] = [];
  const wake = { ...BARE_WAKE, workflows: ["gone"] };
  while (isForOthers({ ...wake, forwardCount: delays.length }, ["order"]))
    delays.push(toForwardSeconds({ forwardCount: delays.length }));
  expect(delays).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 16, 32]);
});

test("S9-012 who leaves all that it is woken for to others wakes for what it parks itself, also when woken again", () => {
  const duty = { hopCount: 0, thenWakeAt: null, wakesFor: "own" };
  expect(joinWakes([], false)).toEqual(duty);
  expect(joinWakes([], true)).toEqual(duty);
});

test.each<[string, Partial<WakeMessage>[], object]>([
  ["of requests", [OF_REQUEST, OF_REQUEST], { wakesFor: "own", thenWakeAt: null }],
  ["a wake that tells of the next", [LINK], { wakesFor: "due", thenWakeAt: 9000 }],
  [
    "a wake and the next",
    [LINK, { at: 9000, thenAt: 12_000 }],
    { wakesFor: "due", thenWakeAt: 12_000 },
  ],
  [
    "a wake beside a request",
    [OF_REQUEST, LINK],
    { wakesFor: "due", thenWakeAt: 9000, hopCount: 0 },
  ],
  ["handed over", [{ hopCount: 2 }], { wakesFor: "due", thenWakeAt: null, hopCount: 2 }],
  ["of a schedule, beside others", [OF_REQUEST, {}, LINK], { wakesFor: "any", thenWakeAt: 9000 }],
])("S9-011 a batch %s wakes for what is its to wake for", (_what, wakes, duty) => {
  const batch = wakes.map((wake) => ({ ...BARE_WAKE, ...wake }));
  expect(joinWakes(batch, false)).toMatchObject(duty);
  expect(joinWakes(batch, true).wakesFor).toBe("any");
});
