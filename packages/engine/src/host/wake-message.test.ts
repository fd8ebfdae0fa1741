import { expect, test } from "vitest";
import {
  BARE_WAKE,
  joinWakes,
  parseWakeMessage,
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
])("%j is no wake", (text) => {
  expect(parseWakeMessage(text)).toBe(null);
});

test("what is written is read, and what an earlier version wrote", () => {
  const wake: WakeMessage = { hopCount: 2, at: 7000, thenAt: 9000, isOfRequest: true };
  expect(parseWakeMessage(toWakeMessage(wake))).toEqual(wake);
  expect(parseWakeMessage('{"kind":"tick"}')).toEqual(BARE_WAKE);
  expect(parseWakeMessage('{"kind":"tick","hopCount":3,"at":5}')).toMatchObject({
    hopCount: 3,
    at: 5,
  });
});

const OF_REQUEST = { isOfRequest: true };
const LINK = { at: 5000, thenAt: 9000 };

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
