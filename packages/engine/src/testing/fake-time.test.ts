/** Virtual time while code is being loaded. */
import { expect, it } from "vitest";
import { late } from "../core/late.ts";
import { createGate } from "../run/testing-rollback-attack.ts";
import { createFakeTime } from "./fake-time.ts";

const someRounds = async (): Promise<void> => {
  for (let round = 0; round < 20; round += 1)
    await new Promise((resolve) => void setImmediate(resolve));
};

it("time stands still while code is loaded, and what it loads in its turn", async () => {
  const time = createFakeTime();
  const startAt = time.now();
  const [first, second] = [createGate(), createGate()];
  const inner = late(() => second.opened);
  const outer = late(async () => {
    await first.opened;
    return inner;
  });
  const seen: string[] = [];
  const note = (what: string): void => void seen.push(`${what} at ${time.now() - startAt}`);
  time.host.setTimer(10, () => {
    const goOn = async (): Promise<void> => {
      await (
        await outer()
      )();
      note("loaded");
    };
    void goOn();
  });
  time.host.setTimer(20, () => note("timer"));
  const advancing = time.advance(100);
  await someRounds();
  first.open();
  await someRounds();
  expect({ seen, passedMs: time.now() - startAt }).toEqual({ seen: [], passedMs: 10 });
  second.open();
  await advancing;
  expect({ seen, passedMs: time.now() - startAt }).toEqual({
    seen: ["loaded at 10", "timer at 20"],
    passedMs: 100,
  });
});

it("code that cannot be loaded holds time up no longer than it takes to know", async () => {
  const time = createFakeTime();
  const startAt = time.now();
  const gone = createGate();
  const code = late(async () => {
    await gone.opened;
    throw new RangeError("no such file");
  });
  const failure = Promise.resolve(code()).catch(String);
  const advancing = time.advance(100);
  await someRounds();
  expect(time.now()).toBe(startAt);
  gone.open();
  await advancing;
  expect(await failure).toContain("no such file");
  expect(time.now()).toBe(startAt + 100);
});
