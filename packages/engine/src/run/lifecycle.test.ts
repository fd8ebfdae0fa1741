import { describe, expect, it } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

/** Two steps; the test decides when the first one ends. */
function setupGated() {
  const ran: string[] = [];
  const gates: ((value: string) => void)[] = [];
  const gated = defineWorkflow({ name: "gated" }, async (_event, step) => {
    const first = await step.do("first", () => {
      ran.push("first");
      return new Promise<string>((resolve) => gates.push(resolve));
    });
    await step.do("second", () => void ran.push("second"));
    return first;
  });
  const harness = createHarness({ workflows: { GATED: gated } });
  const turn = (): Promise<void> => harness.clock.advance(0);
  return { harness, ran, gates, turn };
}

describe("a running instance", () => {
  it("S0-049 S0-051 S0-052 S0-116 S0-120 is paused at its next step boundary, and the next body neither runs nor counts", async () => {
    const { harness, ran, gates, turn } = setupGated();
    const instance = await harness.workflows.GATED.create({ id: "x" });
    const ticking = harness.tick();
    await turn();
    expect(await instance.status()).toMatchObject({ status: "running" });
    await instance.pause();
    await instance.pause();
    expect(await instance.status()).toMatchObject({ status: "waitingForPause" });
    gates[0]?.("done");
    await ticking;
    expect(await instance.status()).toMatchObject({ status: "paused" });
    await harness.clock.advance(86_400_000);
    expect(await harness.runUntilIdle()).toEqual({ processed: 0 });
    expect(ran).toEqual(["first"]);
    const { steps } = await harness.history("gated", "x");
    expect(steps.map(({ name, status, attempts }) => [name, status, attempts])).toEqual([
      ["first", "completed", 1],
      ["second", "waiting", 0],
    ]);
    await instance.resume();
    await harness.runUntilIdle();
    expect(await instance.status()).toMatchObject({ status: "complete", output: "done" });
    expect(ran).toEqual(["first", "second"]);
  });

  it("S0-125 S0-095 that is restarted goes on as a new run; what the old one returns is not committed into it", async () => {
    const { harness, ran, gates, turn } = setupGated();
    const instance = await harness.workflows.GATED.create({ id: "x" });
    const old = harness.tick();
    await turn();
    await instance.restart();
    const renewed = harness.tick();
    await turn();
    gates[0]?.("old");
    await old;
    gates[1]?.("new");
    await renewed;
    await harness.runUntilIdle();
    expect(await instance.status()).toEqual({ status: "complete", runNumber: 2, output: "new" });
    expect(ran).toEqual(["first", "first", "second"]);
    expect((await harness.history("gated", "x", 1)).steps).toEqual([]);
  });

  it("that is terminated stops: its body is told to abort and nothing more is written", async () => {
    const reasons: unknown[] = [];
    const w = defineWorkflow({ name: "w" }, (_event, step) =>
      step.do(
        "wait",
        ({ signal }) =>
          new Promise(() => signal.addEventListener("abort", () => reasons.push(signal.reason))),
      ),
    );
    const harness = createHarness({ workflows: { W: w } });
    const instance = await harness.workflows.W.create({ id: "x" });
    const ticking = harness.tick();
    await harness.clock.advance(0);
    await instance.terminate();
    await harness.clock.advance(15_000);
    await ticking;
    expect(reasons).toHaveLength(1);
    expect(await instance.status()).toEqual({ status: "terminated", runNumber: 1 });
  });
});

describe("an instance at rest", () => {
  const sleeper = defineWorkflow({ name: "sleeper" }, async (_event, step) => {
    await step.sleep("nap", "1 hour");
    return "rested";
  });
  const setup = () => createHarness({ workflows: { SLEEPER: sleeper } });

  it("S0-048 S0-050 S0-117 is queued, then waiting; a pause takes effect at once in both", async () => {
    const harness = setup();
    const queued = await harness.workflows.SLEEPER.create({ id: "queued" });
    expect(await queued.status()).toMatchObject({ status: "queued" });
    await queued.pause();
    expect(await queued.status()).toMatchObject({ status: "paused" });
    const waiting = await harness.workflows.SLEEPER.create({ id: "waiting" });
    await harness.runUntilIdle();
    expect(await waiting.status()).toMatchObject({ status: "waiting" });
    await waiting.pause();
    expect(await waiting.status()).toMatchObject({ status: "paused" });
  });

  it("S0-118 S0-121 a second pause and a resume of what is not paused change nothing", async () => {
    const harness = setup();
    const instance = await harness.workflows.SLEEPER.create({ id: "x" });
    await harness.runUntilIdle();
    await instance.resume();
    expect(await instance.status()).toMatchObject({ status: "waiting" });
    await instance.pause();
    await instance.pause();
    expect(await instance.status()).toMatchObject({ status: "paused" });
  });

  it("S0-126 a pause does not freeze timers: what came due meanwhile runs on resume and not before", async () => {
    const harness = setup();
    const instance = await harness.workflows.SLEEPER.create({ id: "x" });
    await harness.runUntilIdle();
    await instance.pause();
    await harness.clock.advance(3_600_000);
    expect(await harness.runUntilIdle()).toEqual({ processed: 0 });
    await instance.resume();
    await harness.runUntilIdle();
    expect(await instance.status()).toMatchObject({ status: "complete", output: "rested" });
  });

  it("S0-053 S0-119 S0-122 S0-150 a terminal one refuses pause, terminate and events, and can be restarted", async () => {
    const harness = setup();
    const instance = await harness.workflows.SLEEPER.create({ id: "x" });
    await harness.runThroughTime();
    for (const command of [
      () => instance.pause(),
      () => instance.terminate(),
      () => instance.sendEvent({ type: "late" }),
    ]) {
      await expect(command()).rejects.toMatchObject({ code: "INSTANCE_TERMINAL" });
    }
    await instance.restart();
    await harness.runThroughTime();
    expect(await instance.status()).toEqual({ status: "complete", runNumber: 2, output: "rested" });
  });
});
