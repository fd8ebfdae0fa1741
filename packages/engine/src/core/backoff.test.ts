import { describe, expect, it } from "vitest";
import { boundRetryAfter, MAX_RETRY_DELAY_MS, type RetryPolicy, retryDelayMs } from "./backoff.ts";

const policy = (over: Partial<RetryPolicy> = {}): RetryPolicy => ({
  maxAttempts: 6,
  delayMs: 100,
  backoff: "exponential",
  jitter: 0,
  ...over,
});

describe("S0-025 retryDelayMs", () => {
  it.each([
    ["constant", [100, 100, 100, 100]],
    ["linear", [100, 200, 300, 400]],
    ["exponential", [100, 200, 400, 800]],
  ] as const)("%s backoff", (backoff, delays) => {
    expect([1, 2, 3, 4].map((attempt) => retryDelayMs(policy({ backoff }), attempt, 0))).toEqual(
      delays,
    );
  });

  it("exponential growth stops at a year", () => {
    expect(retryDelayMs(policy(), 500, 0)).toBe(MAX_RETRY_DELAY_MS);
  });

  it("S6-024 a delay of 0 stays 0 after any number of attempts", () => {
    for (const backoff of ["constant", "linear", "exponential"] as const)
      for (const attempt of [1, 1024, 1025, 2 ** 31 - 1])
        expect(retryDelayMs(policy({ delayMs: 0, backoff }), attempt, 0)).toBe(0);
  });

  it("jitter takes up to its share of the delay away", () => {
    const jittered = policy({ backoff: "constant", jitter: 0.5 });
    expect([0, 0.5, 0.999].map((chance) => retryDelayMs(jittered, 1, chance))).toEqual([
      100, 75, 50,
    ]);
  });
});

describe("S6-024 boundRetryAfter", () => {
  const now = 1_000_000;

  it.each([
    ["a length of time", { inMs: 5000 }, { inMs: 5000 }],
    ["a fraction", { inMs: 0.6 }, { inMs: 1 }],
    ["no time", { inMs: 0 }, { inMs: 0 }],
    ["the longest number", { inMs: Number.MAX_VALUE }, { inMs: MAX_RETRY_DELAY_MS }],
    ["an instant to come", { at: now + 7 }, { at: now + 7 }],
    ["an instant of the past", { at: now - 7 }, { at: now }],
    ["the first instant of a Date", { at: -8.64e15 }, { at: now }],
    ["the last instant of a Date", { at: 8.64e15 }, { at: now + MAX_RETRY_DELAY_MS }],
  ])("%s", (_what, when, bounded) => {
    expect(boundRetryAfter(when, now)).toEqual(bounded);
  });
});
