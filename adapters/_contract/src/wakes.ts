/** How work continues after the invocation that made it due. */
import { describe, expect, test } from "vitest";
import { describeDeadlines } from "./deadlines.ts";
import { complete, reasonOf, type Scene } from "./scene.ts";
import type { AdapterCapabilities, AdapterWake, ExactWakes } from "./subject.ts";

const ONCE = { first: 1, second: 1, third: 1 };
const AN_HOUR_MS = 3_600_000;
const A_LONG_TIME_MS = 300 * 24 * AN_HOUR_MS;

/** For an application that learns of nothing. */
export function describeLostWakes(scene: () => Scene): void {
  test("a lost wake costs time and not the run: the safety-net tick finds it", async () => {
    const { bodiesOf, create, fixture, load } = scene();
    await create("contract-steps", "lost");
    expect(await load("contract-steps", "lost")).toMatchObject({ details: { status: "queued" } });
    await fixture.safetyTick();
    await expect
      .poll(() => load("contract-steps", "lost"), { interval: 10, timeout: 60_000 })
      .toMatchObject(complete("done"));
    expect(await bodiesOf("lost")).toEqual(ONCE);
  });

  test("safety-net ticks at the same time run every body once", async () => {
    const { bodiesOf, create, fixture, load } = scene();
    await create("contract-steps", "crowded");
    await Promise.all(Array.from({ length: 4 }, () => fixture.safetyTick()));
    await expect
      .poll(() => load("contract-steps", "crowded"), { interval: 10, timeout: 60_000 })
      .toMatchObject(complete("done"));
    expect(await bodiesOf("crowded")).toEqual(ONCE);
  });
}

/** For an application without other work. */
export function describeExactWakes(scene: () => Scene, exactWakes: ExactWakes | string): void {
  const isUnable = typeof exactWakes === "string";
  describe.skipIf(isUnable)(`exact wakes${reasonOf(isUnable ? exactWakes : true)}`, () => {
    describeAlarm(scene, isUnable ? { maxWakeMs: 0, earlyMs: 0 } : exactWakes);
  });
}

export function describeInvocations(scene: () => Scene, capabilities: AdapterCapabilities): void {
  const { invocations, deadlines } = capabilities;
  describe.skipIf(invocations !== true)(`invocations${reasonOf(invocations)}`, () => {
    describeWakes(scene);
    describe.skipIf(deadlines !== true)(`deadlines${reasonOf(deadlines)}`, () => {
      describeDeadlines(scene);
    });
  });
}

function describeWakes(scene: () => Scene): void {
  test("what a request makes due has been asked for when its invocation ends: defer drops nothing", async () => {
    const { create, drive, load, takeWakes } = scene();
    takeWakes();
    await create("contract-steps", "deferred");
    const wakes = takeWakes();
    expect(wakes.length).toBeGreaterThan(0);
    for (const wake of wakes) await wake.deliver();
    await drive(() => load("contract-steps", "deferred"), complete("done"));
  });

  test("a wake that is delivered twice, also at the same time, runs every body once", async () => {
    const { bodiesOf, create, drive, load, takeWakes } = scene();
    takeWakes();
    await create("contract-steps", "twice");
    const wakes = takeWakes();
    await Promise.all([...wakes, ...wakes].map((wake) => wake.deliver()));
    await Promise.all(wakes.map((wake) => wake.deliver()));
    await drive(() => load("contract-steps", "twice"), complete("done"));
    expect(await bodiesOf("twice")).toEqual(ONCE);
  });

  test("a tick that finds nothing asks for nothing", async () => {
    const { fixture, takeWakes } = scene();
    takeWakes();
    await fixture.safetyTick();
    expect(takeWakes().filter(({ at }) => at === null)).toEqual([]);
  });
}

function describeAlarm(scene: () => Scene, { maxWakeMs, earlyMs }: ExactWakes): void {
  /** Starts a sleeper. Returns the exact wakes that were asked for, and when it sleeps until. */
  const sleep = async (id: string, sleepMs: number): Promise<readonly AdapterWake[]> => {
    const { create, takeWakes } = scene();
    await create("contract-sleeper", id, { sleepMs });
    for (const wake of takeWakes()) if (wake.at === null) await wake.deliver();
    return takeWakes().filter(({ at }) => at !== null);
  };
  const expectAt = (wake: AdapterWake | undefined, aheadMs: number): void => {
    const target = Date.now() + Math.min(aheadMs, maxWakeMs);
    expect(wake?.at).toBeGreaterThan(target - earlyMs - 10_000);
    expect(wake?.at).toBeLessThan(target + 10_000);
  };

  test("armed beyond the platform's maximum it is chained, coalesced, and only ever set earlier", async () => {
    const { takeWakes } = scene();
    takeWakes();
    const [far] = await sleep("far", A_LONG_TIME_MS);
    expectAt(far, A_LONG_TIME_MS);
    // It arrives early or at the platform's maximum: nothing is due, and a wake for the rest is asked for.
    await far?.deliver();
    const [again] = takeWakes();
    expectAt(again, A_LONG_TIME_MS);
    expect(await sleep("farther", A_LONG_TIME_MS + AN_HOUR_MS)).toEqual([]);
    const soonMs = Math.min(maxWakeMs / 2, AN_HOUR_MS);
    const [near] = await sleep("near", soonMs);
    expectAt(near, soonMs);
    expect(await sleep("later", soonMs + 60_000)).toEqual([]);
  });
}
