import { expect, test } from "vitest";
import { decideWake, type WakeFacts } from "./wake.ts";

const OWN: WakeFacts = {
  wakesFor: "own",
  latestNow: 1000,
  nextDueAt: null,
  nextWakeAt: null,
  parkedUntil: null,
  thenWakeAt: null,
};

test.each<[string, Partial<WakeFacts>, number | null]>([
  ["of nothing to come", {}, null],
  ["of what others parked", { nextDueAt: 2000, nextWakeAt: 1500 }, null],
  ["of what is due and others have", { nextDueAt: 900, nextWakeAt: 900 }, null],
  ["of what it parked alone", { parkedUntil: 2000 }, 2000],
  ["of what it parked, before all others", { parkedUntil: 2000, nextDueAt: 3000 }, 2000],
  ["of what it parked and its last claim saw", { parkedUntil: 2000, nextDueAt: 2000 }, 2000],
  ["of what it parked, after a wake to come", { parkedUntil: 3000, nextDueAt: 2000 }, null],
  // The tick that was woken then may have claimed before the run was parked.
  [
    "of what it parked, after a wake that may have come",
    { parkedUntil: 3000, nextDueAt: 1000 },
    3000,
  ],
  ["of what it parked, after the end of a lease", { parkedUntil: 3000, nextWakeAt: 2000 }, 3000],
])(
  "S9-011 a tick that a request began, told %s, has this instant woken for",
  (_what, facts, at) => {
    expect(decideWake({ ...OWN, ...facts })?.at ?? null).toBe(at);
  },
);

test.each<[Partial<WakeFacts>, number | null]>([
  [{ wakesFor: "any" }, null],
  [{ wakesFor: "any", nextDueAt: 3000, nextWakeAt: 2000 }, 2000],
  [{ wakesFor: "any", nextDueAt: 3000, nextWakeAt: 2000, parkedUntil: 1500 }, 1500],
  [{ wakesFor: "due", nextDueAt: 3000, nextWakeAt: 2000 }, 3000],
  [{ wakesFor: "due", nextWakeAt: 2000, parkedUntil: 4000 }, 4000],
])("whoever was woken has the first instant woken for: %j", (facts, at) => {
  expect(decideWake({ ...OWN, ...facts })?.at ?? null).toBe(at);
});

test.each<[string, Partial<WakeFacts>, number | null, number | null]>([
  ["the first link tells of the next", { parkedUntil: 2000, nextDueAt: 3000 }, 2000, 3000],
  ["alone it tells of none", { parkedUntil: 2000 }, 2000, null],
  ["its own is not another's", { parkedUntil: 2000, nextDueAt: 2000 }, 2000, null],
  ["one that has passed is none to come", { parkedUntil: 2000, nextDueAt: 1000 }, 2000, null],
  [
    "told of the next: left to it",
    { wakesFor: "due", nextDueAt: 3000, thenWakeAt: 3000 },
    null,
    null,
  ],
  [
    "told of the next: later ones too",
    { wakesFor: "due", nextDueAt: 4000, thenWakeAt: 3000 },
    null,
    null,
  ],
  ["one before it", { wakesFor: "due", nextDueAt: 2000, thenWakeAt: 3000 }, 2000, 3000],
  [
    "parked before it",
    { wakesFor: "any", parkedUntil: 2000, nextWakeAt: 3000, thenWakeAt: 3000 },
    2000,
    3000,
  ],
  [
    "told of one that has passed",
    { wakesFor: "due", nextDueAt: 4000, thenWakeAt: 1000 },
    4000,
    null,
  ],
])("S9-011 a chain of wakes: %s", (_what, facts, at, thenWakeAt) => {
  const wake = at === null ? null : { at, thenWakeAt };
  expect(decideWake({ ...OWN, ...facts })).toEqual(wake);
});
