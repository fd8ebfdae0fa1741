/** Many pages cause no more requests to a process than a few do. */
import { expect, test, vi } from "vitest";
import { answerOnce } from "./answer-once.ts";
import { WAIT_FACTOR } from "./pace.ts";

const SOON_MS = 2000;
const STEP_MS = 50;

/** Like the page's own code, where `random` is from 0 to 1. */
const toWait = (factor: number, random: () => number): number =>
  factor > 1 ? SOON_MS * factor * (0.75 + random() / 2) : SOON_MS;

/**
 * How many new answers per second pages ask for, second by second, while everything they show changes. @param pages each asks four
 * questions at once
 */
async function rateOf(pages: number, seconds: number): Promise<readonly number[]> {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
  try {
    let made = 0;
    let seed = 1;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const answer = answerOnce(async () => {
      made += 1;
      return Response.json({ made });
    });
    const nextAt = Array.from({ length: pages }, (_, page) => (page * SOON_MS) / pages);
    const rates: number[] = [];
    for (let atMs = 0; atMs < seconds * 1000; atMs += STEP_MS) {
      vi.setSystemTime(1_000_000 + atMs);
      for (const [page, dueMs] of nextAt.entries()) {
        if (dueMs > atMs) continue;
        let factor = 1;
        for (const question of ["", "/history", "/explain", "/describe"]) {
          const request = new Request(`http://h/api/workflows/w/instances/${page}${question}`);
          factor = Number((await answer(request)).headers.get(WAIT_FACTOR) ?? "1");
        }
        nextAt[page] = atMs + toWait(factor, random);
      }
      if ((atMs + STEP_MS) % 1000 !== 0) continue;
      rates.push(made);
      made = 0;
    }
    return rates;
  } finally {
    vi.useRealTimers();
  }
}

const meanOf = (rates: readonly number[]): number =>
  rates.reduce((sum, rate) => sum + rate, 0) / rates.length;

test("S8-009 fifty pages of fifty instances that change ask for as many answers as eight do", async () => {
  const rates = await rateOf(50, 180);
  expect(meanOf(rates.slice(0, 4))).toBeGreaterThan(90);
  expect(meanOf(rates.slice(60))).toBeLessThan(18);
  expect(meanOf(rates.slice(60))).toBeGreaterThan(8);
  expect(Math.max(...rates.slice(60))).toBeLessThan(50);
});

test("S8-009 a few pages are never told to wait", async () => {
  for (const pages of [1, 7]) expect(meanOf(await rateOf(pages, 60))).toBeCloseTo(2 * pages, 0);
});
