import { describe, expect, it } from "vitest";
import { MAX_RETRY_DELAY_MS, type RetryPolicy, retryDelayMs } from "./backoff.ts";

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

  it("jitter takes up to its share of the delay away", () => {
    const jittered = policy({ backoff: "constant", jitter: 0.5 });
    expect([0, 0.5, 0.999].map((chance) => retryDelayMs(jittered, 1, chance))).toEqual([
      100, 75, 50,
    ]);
  });
});
