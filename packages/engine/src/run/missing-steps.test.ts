/** Calls of steps whose code is missing, as after a deploy that removed its file, or while a process has too many files open. */
import { expect, it, vi } from "vitest";
import { defineWorkflow } from "../index.ts";
import type { createHarness } from "../testing/harness.ts";

const CALLS = [
  ["./scopes/run-scope.ts", "join"],
  ["./prepare-steps.ts", "progress"],
  ["./progress-step.ts", "progress"],
  ["./receive-step.ts", "receive"],
  ["./invoke-step.ts", "invoke"],
] as const;

const child = defineWorkflow({ name: "child" }, () => "child");
const W = defineWorkflow({ name: "w" }, async (event, step) => {
  const call = {
    join: () => step.join("j", { a: (own) => own.do("x", () => 1) }),
    progress: () => step.progress(1),
    receive: () => step.receive("r", { types: ["go"], timeout: "1 second" }),
    invoke: () => step.invoke(child, {}),
  }[event.payload as (typeof CALLS)[number][1]];
  const told = await call().then(
    () => "went",
    ({ code }: { code?: string }) => code ?? "told of the file",
  );
  return step.do("after", () => told);
});

it.each(CALLS)(
  "without %s, author code is told nothing of it: the run is left to a process that has it, and goes on there with step.%s",
  async (file, call) => {
    vi.resetModules();
    vi.doMock(file, () => {
      throw new RangeError("no such file");
    });
    const fresh = await import("../testing/harness.ts");
    const create: typeof createHarness = fresh.createHarness;
    const harness = create({ workflows: { W, child } });
    await harness.workflows.W.create({ id: "x", params: call });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "waiting" });
    expect(harness.log.map(({ event }) => event)).toContain("run.not_closed");

    vi.doUnmock(file);
    await harness.clock.advance(60_000);
    await harness.runThroughTime(120_000);

    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "went" });
  },
);
