/** What is logged about refused calls, whether or not they are awaited. */
import { describe, expect, test } from "vitest";
import { defineTopic, defineWorkflow, WorkflowError, type WorkflowStep } from "../index.ts";
import { createHarness, type LogLine } from "../testing/harness.ts";

const TOPIC = defineTopic({ name: "t" });

function play(run: (step: WorkflowStep) => unknown) {
  const W = defineWorkflow({ name: "w" }, async (_event, step) => run(step));
  return createHarness({ topics: [TOPIC], workflows: { W } });
}

const refused = (log: readonly LogLine[], event = "step.refused"): readonly string[] =>
  log
    .filter((line) => line.event === event)
    .map(({ fields }) => `${String(fields["stepKey"])} ${String(fields["code"])}`);

/** The result of a call. */
async function codeOf(call: () => Promise<unknown>): Promise<unknown> {
  return call().then(
    () => "no error",
    (error: unknown) => (WorkflowError.is(error) ? error.code : String(error)),
  );
}

describe("a refused call", () => {
  test("that nobody awaits is in the log, once for each code and session", async () => {
    const harness = play(async (step) => {
      for (let n = 0; n < 3; n += 1) void step.progress(() => n);
      void step.emit(TOPIC, 1n);
      void step.waitForEvent("", { type: "go" });
      await step.join("j", {
        "a/b": async (own) => {
          void own.emit("missing");
          await own.do("x", () => 1);
        },
      });
      await step.sleep("nap", 1000);
    });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(new Set(refused(harness.log))).toEqual(
      new Set([
        " INVALID_STEP_NAME",
        "j/a%2Fb/missing TOPIC_NOT_FOUND",
        "progress NOT_SERIALIZABLE",
      ]),
    );
    expect(harness.log.find(({ event }) => event === "step.refused")).toMatchObject({
      level: "warn",
      fields: { workflowName: "w", instanceId: "x", runNumber: 1 },
    });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    // All of these calls come before the sleep, where the second session was replaying.
    expect(refused(harness.log)).toHaveLength(3);
  });

  test("is told with as much of its name as a line of the log may have", async () => {
    const harness = play(async (step) => {
      await step.tryDo("x".repeat(10_240), () => 1);
      await step.tryDo(Symbol("s") as never, () => 1);
    });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    const [line] = refused(harness.log);
    expect(line?.length).toBeLessThan(300);
  });
});

describe("a call after the workflow's function has ended", () => {
  const CALLS: Readonly<Record<string, (step: WorkflowStep) => Promise<unknown>>> = {
    do: (step) => step.do("late", () => 1),
    sleep: (step) => step.sleep("late", 1),
    waitForEvent: (step) => step.waitForEvent("late", { type: "go" }),
    receive: (step) => step.receive("late", { types: ["go"] }),
    progress: (step) => step.progress(1),
    emit: (step) => step.emit(TOPIC),
    join: (step) => step.join("late", {}),
    loop: (step) => step.loop("late", { run: () => undefined }),
  };

  test.each(Object.entries(CALLS))("is refused and logged: %s", async (_, call) => {
    for (const isFailing of [false, true]) {
      let kept: WorkflowStep | undefined;
      const harness = play(async (step) => {
        kept = step;
        await step.do("first", () => 1);
        if (isFailing) throw new TypeError("no");
      });
      await harness.workflows.W.create({ id: "x" });
      await harness.runUntilIdle();
      expect(await codeOf(() => call(kept as WorkflowStep))).toBe("SCOPE_CLOSED");
      expect(refused(harness.log, "step.called_after_end")).toHaveLength(1);
    }
  });

  test("is refused while its output is still being checked, and leaves no row", async () => {
    let late: Promise<unknown> | undefined;
    let kept: WorkflowStep | undefined;
    const output = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => {
          late ??= codeOf(() => (kept as WorkflowStep).do("late", () => 1));
          return { value };
        },
      },
    } as const;
    const W = defineWorkflow({ name: "w", output }, async (_event, step) => {
      kept = step;
      return step.do("first", () => 1);
    });
    const harness = createHarness({ workflows: { W } });
    await harness.workflows.W.create({ id: "x" });
    await harness.tick();
    expect(await late).toBe("SCOPE_CLOSED");
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: 1 });
    const { steps } = await harness.history("w", "x");
    expect(steps.map(({ stepKey }) => stepKey)).toEqual(["first"]);
  });

  test("is not made by a loop over events that nobody awaits: what has come for it is not told any more", async () => {
    const heard: unknown[] = [];
    const harness = play(async (step) => {
      void (async () => {
        for (;;) heard.push((await step.waitForEvent("note", { type: "note" })).payload);
      })();
      return (await step.waitForEvent("end", { type: "end" })).payload;
    });
    await harness.workflows.W.create({ id: "x" });
    await harness.tick();
    await harness.sendEvent("w", "x", { type: "end", payload: "over" });
    await harness.sendEvent("w", "x", { type: "note", payload: "too late" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "over" });
    expect(heard).toEqual([]);
    expect(refused(harness.log, "step.called_after_end")).toEqual([]);
  });

  test("ends a loop that catches its refusal and calls again: nothing else of the process would have a turn", async () => {
    let kept: WorkflowStep | undefined;
    let told = 0;
    const harness = play(async (step) => {
      kept = step;
      await step.do("first", () => 1);
    });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    void (async () => {
      for (;;) {
        await codeOf(() => (kept as WorkflowStep).do("late", () => 1));
        told += 1;
      }
    })();
    await new Promise((resolve) => void setImmediate(resolve));
    expect(told).toBe(10_000);
    expect(refused(harness.log, "step.called_after_end")).toEqual(["late SCOPE_CLOSED"]);
  });

  test("leaves no row of a scope that nobody awaits, nor an error", async () => {
    const harness = play(async (step) => {
      await step.do("first", () => 1);
      void step.loop("l", {
        run: async (own) => {
          await own.sleep("z", 1);
        },
      });
      void step.try("t", (own) => own.receive("r", { types: ["go"] }));
    });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    const { steps } = await harness.history("w", "x");
    expect(steps.map(({ stepKey }) => stepKey)).toEqual(["first"]);
    expect(refused(harness.log)).toEqual([]);
  });

  test("never ends where the run is parked: another session makes it", async () => {
    let kept: WorkflowStep | undefined;
    const harness = play(async (step) => {
      kept = step;
      await step.sleep("nap", "1 hour");
    });
    await harness.workflows.W.create({ id: "x" });
    await harness.tick();
    let isTold = false;
    void codeOf(() => (kept as WorkflowStep).do("late", () => 1)).then(() => (isTold = true));
    await harness.clock.advance(1000);
    expect(isTold).toBe(false);
    expect(refused(harness.log, "step.called_after_park")).toEqual(["late AWAIT_OUTSIDE_STEP"]);
  });
});
