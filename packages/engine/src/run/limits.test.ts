import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../core/default-limits.ts";
import { defineWorkflow, WorkflowError, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

/** A `step.do` with these arguments, whatever its type says. */
const untypedDo =
  (...given: readonly unknown[]) =>
  (step: WorkflowStep): Promise<unknown> =>
    step.do(...(given as [string, () => unknown]));

/** Runs one workflow to its end; returns the code of the error that its body caught, or its output. */
async function outcomeOf(
  run: (step: WorkflowStep) => Promise<unknown>,
  limits = {},
): Promise<unknown> {
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    try {
      return await run(step);
    } catch (error) {
      return WorkflowError.is(error) ? `${error.code} ${error.message}` : String(error);
    }
  });
  const harness = createHarness({ workflows: { W: w }, limits });
  await harness.workflows.W.create({ id: "x" });
  await harness.runThroughTime();
  const { output, error } = await harness.status("w", "x");
  return output ?? error;
}

describe("limits inside a workflow", () => {
  it("S0-161 a step result above 1 MiB fails the step without a retry", async () => {
    let runs = 0;
    const outcome = await outcomeOf((step) =>
      step.do("big", () => {
        runs += 1;
        return "x".repeat(1_048_576);
      }),
    );
    expect(outcome).toMatch(/^PAYLOAD_TOO_LARGE the result of step "big" is 1048578 bytes/u);
    expect(runs).toBe(1);
    expect(
      await outcomeOf(async (step) => (await step.do("fits", () => "x".repeat(1_048_574))).length),
    ).toBe(1_048_574);
  });

  it.each([
    [
      "a cycle",
      () => {
        const value: Record<string, unknown> = {};
        value["me"] = value;
        return value;
      },
    ],
    ["a Promise", () => ({ n: Promise.resolve(1) })],
    ["a function", () => ({ f: () => 1 })],
  ])("S0-163 %s as a result fails the step without a retry and says where", async (_name, body) => {
    expect(await outcomeOf((step) => step.do("bad", body))).toMatch(
      /^NOT_SERIALIZABLE the result of step "bad" cannot be written as JSON: \$\./u,
    );
  });

  it("S0-164 S0-036 a run has at most 10 000 steps; sleeps do not count", async () => {
    const run = (count: number) => async (step: WorkflowStep) => {
      for (let index = 0; index < count; index += 1) await step.do(`s${index}`, () => index);
      for (let index = 0; index < 3; index += 1) await step.sleep(`z${index}`, 0);
      return "done";
    };
    expect(DEFAULT_LIMITS.maxStepsPerRun).toBe(10_000);
    expect(await outcomeOf(run(2), { maxStepsPerRun: 2 })).toBe("done");
    expect(await outcomeOf(run(3), { maxStepsPerRun: 2 })).toMatchObject({
      message: expect.stringContaining("2 steps"),
    });
  });

  it("S0-164 each use of a name counts toward the limit of steps", async () => {
    const poll = async (step: WorkflowStep): Promise<void> => {
      for (;;) await step.do("poll", () => 0);
    };
    expect(await outcomeOf(poll, { maxStepsPerRun: 5 })).toMatchObject({
      message: expect.stringContaining("5 steps"),
    });
  });

  it("S0-165 a sleep of more than 365 days is refused, in both forms", async () => {
    expect(await outcomeOf((step) => step.sleep("z", "366 days"))).toBe(
      "INVALID_DURATION a sleep of 366 days is longer than the limit of 365 days",
    );
    expect(await outcomeOf((step) => step.sleepUntil("z", Date.UTC(2030, 0)))).toMatch(
      /^INVALID_DURATION/u,
    );
    expect(await outcomeOf((step) => step.sleepUntil("z", new Date(Number.NaN)))).toContain(
      "sleepUntil got an invalid Date; expected",
    );
    expect(
      await outcomeOf((step) => step.sleep("10 minutes", ...([] as unknown as [number]))),
    ).toBe("INVALID_DURATION step.sleep takes a name and then a duration; got one of them");
    expect(await outcomeOf((step) => step.sleep("z", new Date(0) as never))).toBe(
      "INVALID_DURATION step.sleep takes a duration; for a Date, use step.sleepUntil",
    );
  });

  it("a step that is given something else before its name says that the name comes first", async () => {
    const unnamed = untypedDo(() => 1);
    expect(await outcomeOf(unnamed)).toBe(
      "INVALID_STEP_NAME a step's name comes first; got function",
    );
    expect(await outcomeOf((step) => step.map([1] as never, [1], () => 1))).toBe(
      "INVALID_STEP_NAME a step's name comes first; got object",
    );
  });

  it("branches in an array are told that they need names", async () => {
    expect(await outcomeOf((step) => step.join("all", [() => 1] as never))).toBe(
      'INVALID_SCOPE step.join "all" expected an object of functions, by the names of its branches; got an array',
    );
  });

  it.each([999, "366 days", "0 seconds"] as const)(
    "S0-041 an event timeout of %s is refused",
    async (timeout) => {
      expect(await outcomeOf((step) => step.waitForEvent("w", { type: "t", timeout }))).toMatch(
        /^INVALID_DURATION/u,
      );
    },
  );

  it("the message of a refused timeout has its units", async () => {
    expect(await outcomeOf((step) => step.waitForEvent("w", { type: "t", timeout: 300 }))).toBe(
      "INVALID_DURATION an event timeout of 300 ms is outside 1 second to 365 days",
    );
  });

  it.each([
    [3, "3"],
    [{ limit: "3" }, '{"limit":"3"}'],
    [{ delay: 5 }, '{"delay":5}'],
  ])(
    "a retry policy that is none is shown in its message as it was given: %j",
    async (given, shown) => {
      const outcome = await outcomeOf((step) => step.do("a", { retries: given as never }, () => 1));
      const says = `INVALID_RETRY_POLICY retries ${shown} is invalid; expected an object such as { limit: 3 }: limit ≥ 0`;
      expect(String(outcome).slice(0, says.length)).toBe(says);
    },
  );

  it.each([1000, "365 days"] as const)(
    "S0-041 an event timeout of %s is taken",
    async (timeout) => {
      expect(await outcomeOf((step) => step.waitForEvent("w", { type: "t", timeout }))).toMatch(
        /^EVENT_TIMEOUT/u,
      );
    },
  );

  it.each([
    ["a step name", (step: WorkflowStep) => step.do("", () => 1), "INVALID_STEP_NAME"],
    [
      "an event type",
      (step: WorkflowStep) => step.waitForEvent("w", { type: "a b" }),
      "INVALID_EVENT_TYPE",
    ],
    [
      "a wait without options",
      (step: WorkflowStep) => step.waitForEvent("w", undefined as never),
      "INVALID_EVENT_TYPE",
    ],
    ["a duration", (step: WorkflowStep) => step.sleep("z", "soon" as never), "INVALID_DURATION"],
    [
      "a retry limit",
      (step: WorkflowStep) => step.do("a", { retries: { limit: -1, delay: 0 } }, () => 1),
      "INVALID_RETRY_POLICY",
    ],
    [
      "no retries",
      (step: WorkflowStep) => step.do("a", { retries: null as never }, () => 1),
      "INVALID_RETRY_POLICY",
    ],
    [
      "no retry limit",
      (step: WorkflowStep) => step.do("a", { retries: {} as never }, () => 1),
      "INVALID_RETRY_POLICY",
    ],
    [
      "a retry delay",
      (step: WorkflowStep) =>
        step.do("a", { retries: { limit: 1, delay: null as never } }, () => 1),
      "INVALID_DURATION",
    ],
    [
      "no timeout",
      (step: WorkflowStep) => step.do("a", { timeout: undefined as never }, () => 1),
      "INVALID_DURATION",
    ],
    ["no sleep", (step: WorkflowStep) => step.sleep("z", undefined as never), "INVALID_DURATION"],
    [
      "an object to sleep",
      (step: WorkflowStep) => step.sleep("z", { hours: 1 } as never),
      "INVALID_DURATION",
    ],
    [
      "no instant",
      (step: WorkflowStep) => step.sleepUntil("z", undefined as never),
      "INVALID_DURATION",
    ],
    [
      "no event timeout",
      (step: WorkflowStep) => step.waitForEvent("w", { type: "t", timeout: null as never }),
      "INVALID_DURATION",
    ],
  ])("%s that is invalid throws its code", async (_name, run, code) => {
    expect(await outcomeOf(run)).toMatch(new RegExp(`^${code}`, "u"));
  });

  it("S0-156 S0-162 params, payloads and output have limits that a host sets", async () => {
    const limits = { maxParamsBytes: 10, maxEventPayloadBytes: 10, maxOutputBytes: 10 };
    const w = defineWorkflow({ name: "w" }, () => "a long output");
    const harness = createHarness({ workflows: { W: w }, limits });
    await expect(harness.workflows.W.create({ params: "0123456789" })).rejects.toMatchObject({
      code: "PAYLOAD_TOO_LARGE",
    });
    await harness.workflows.W.create({ id: "x" });
    await expect(
      harness.sendEvent("w", "x", { type: "e", payload: "0123456789" }),
    ).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({
      status: "errored",
      error: { message: expect.stringContaining("output") },
    });
  });
});
