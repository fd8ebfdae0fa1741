import { afterEach, expect, test, vi } from "vitest";
import { createWebHost } from "./web-host.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("row ids have one length and rise, also when a million of them are made while the clock stands", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 29) });
  const { newId } = createWebHost();
  let last = newId();
  expect(last).toMatch(/^[0-9a-v]{22}$/u);
  let falls = 0;
  for (let made = 0; made < 2 ** 20 + 64; made += 1) {
    const id = newId();
    if (id <= last || id.length !== last.length) falls += 1;
    last = id;
  }
  expect(falls).toBe(0);
});

test("row ids of a clock that was set back come after the earlier ones", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 29) });
  const { newId } = createWebHost();
  const before = newId();
  vi.setSystemTime(Date.UTC(2026, 10, 28));
  const after = Array.from({ length: 200 }, newId);
  expect([before, ...after].toSorted()).toEqual([before, ...after]);
});
