/** Instances that a process holds, or held when it died; `explain` says which. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LOCAL_STORES, type TimedStore } from "./testing-stores.ts";
import { play, type Played } from "./testing-explain.ts";

describe.each(LOCAL_STORES)("S8-003 explain of held instances on %s", (_name, openStore) => {
  let timed: TimedStore;
  beforeAll(async () => {
    timed = await openStore();
  });
  afterAll(() => timed.teardown());

  /** Begins a tick whose body does not end, and returns once the body runs. */
  async function begin(run: (body: () => Promise<unknown>) => Promise<Played>): Promise<{
    readonly played: Played;
    readonly release: () => void;
    readonly tick: Promise<unknown>;
  }> {
    let release = (): void => {};
    let begun = (): void => {};
    const isRunning = new Promise<void>((resolve) => (begun = resolve));
    const played = await run(() => {
      begun();
      return new Promise<void>((resolve) => (release = resolve));
    });
    const tick = played.harness.tick();
    await isRunning;
    return { played, release: () => release(), tick };
  }

  test("S8-003 held; a pause is requested and carried out", async () => {
    const { played, release, tick } = await begin((body) =>
      play(timed, async (step) => {
        await step.do("long", body);
        return step.sleep("nap", "1 day");
      }),
    );
    await played.expects("held", "A process holds it");
    await played.instance.pause();
    await played.expects("pauseRequested", "A pause is requested");
    release();
    await tick;
    await played.expects("paused", "It is paused");
  });

  test("S8-003 held and asked to end", async () => {
    const { played, release, tick } = await begin((body) =>
      play(timed, (step) => step.do("long", body)),
    );
    await played.instance.cancel();
    await played.expects("endRequested", "the process that holds it has yet to end it");
    release();
    await tick;
    await played.harness.runUntilIdle();
    expect(["complete", "terminated"]).toContain((await played.explain()).cause);
  });

  test("S8-003 its process died: held until the lease ends, then to be taken over, then in a crash loop", async () => {
    const { played } = await begin((body) => play(timed, (step) => step.do("kills", body)));
    const { harness, expects, instance, explain } = played;
    harness.restart();
    await expects("held", "under a lease that ends in 30 seconds");
    await harness.clock.advance(31_000);
    await expects("leaseEnded", "its lease ended 1 second ago, and it is due to be taken over");
    void harness.tick();
    while ((await explain()).cause === "leaseEnded") await new Promise(setImmediate);
    harness.restart();
    await harness.clock.advance(31_000);
    await expects("crashLoop", "2 processes in a row died while they held it", { lostLeases: 2 });
    await harness.engine.control(played.name, instance.id, "terminate");
    await expects("terminated", "It was terminated");
  });
});
