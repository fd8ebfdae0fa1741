import { describe, expect, it } from "vitest";
import { createBatcher } from "./batcher.ts";

/** A batcher whose calls the test answers, one by one. */
function setupBatcher(options: { readonly maxInFlight: number; readonly maxBatch: number }) {
  const sizes: number[] = [];
  const answers: (() => void)[] = [];
  const request = createBatcher<number, number>(
    (requests) =>
      new Promise((resolve) => {
        sizes.push(requests.length);
        answers.push(() => resolve(requests.map((value) => value * 2)));
      }),
    options,
  );
  const ask = (count: number): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, (_, value) => request(value)));
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { sizes, answers, ask, settle };
}

describe("shared trips", () => {
  it("a lone request leaves at once", async () => {
    const { sizes, answers, ask, settle } = setupBatcher({ maxInFlight: 2, maxBatch: 100 });
    const asked = ask(1);
    await settle();
    expect(sizes).toEqual([1]);
    answers[0]?.();
    expect(await asked).toEqual([0]);
  });

  it("requests that fall together share a call, and each gets its own answer", async () => {
    const { sizes, answers, ask, settle } = setupBatcher({ maxInFlight: 2, maxBatch: 100 });
    const asked = ask(5);
    await settle();
    expect(sizes).toEqual([5]);
    answers[0]?.();
    expect(await asked).toEqual([0, 2, 4, 6, 8]);
  });

  it("many requests are spread over the calls that may leave; what comes meanwhile waits for one to come back", async () => {
    const { sizes, answers, ask, settle } = setupBatcher({ maxInFlight: 2, maxBatch: 100 });
    void ask(60);
    await settle();
    expect(sizes).toEqual([30, 30]);
    void ask(3);
    await settle();
    expect(sizes).toEqual([30, 30]);
    answers[1]?.();
    await settle();
    expect(sizes).toEqual([30, 30, 3]);
  });

  it("too few to share between two calls leave in one", async () => {
    const { sizes, ask, settle } = setupBatcher({ maxInFlight: 2, maxBatch: 100 });
    void ask(40);
    await settle();
    expect(sizes).toEqual([40]);
  });

  it("one call at once takes everything up to its largest size", async () => {
    const { sizes, answers, ask, settle } = setupBatcher({ maxInFlight: 1, maxBatch: 30 });
    void ask(40);
    await settle();
    answers[0]?.();
    await settle();
    expect(sizes).toEqual([30, 10]);
  });

  it("a call that fails is told to all that shared it", async () => {
    const request = createBatcher<number, number>(
      () => Promise.reject(new RangeError("not to be had")),
      { maxInFlight: 1, maxBatch: 100 },
    );
    const told = await Promise.allSettled([1, 2, 3].map((value) => request(value)));
    expect(told.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });
});
