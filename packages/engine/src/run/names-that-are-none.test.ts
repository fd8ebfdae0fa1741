/** Values that JavaScript author code may give as the name of a step. */
import { expect, it } from "vitest";
import { defineWorkflow, WorkflowError, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

const NAMES = [
  7,
  7n,
  true,
  null,
  undefined,
  Symbol("x"),
  [],
  {},
  Object.create(null),
  { name: "a", stepKey: "a" },
];

type Call = (step: WorkflowStep, name: string) => Promise<unknown>;

const CALLS: Readonly<Record<string, Call>> = {
  do: (step, name) => step.do(name, () => 1),
  "do with an undo": (step, name) => step.do(name, { undo: () => {} }, () => 1),
  tryDo: (step, name) =>
    step.tryDo(name, () => 1).then((end) => Promise.reject("error" in end ? end.error : end)),
  sleep: (step, name) => step.sleep(name, 1000),
  sleepUntil: (step, name) => step.sleepUntil(name, 5),
  waitForEvent: (step, name) => step.waitForEvent(name, { type: "go" }),
  receive: (step, name) => step.receive(name, { types: ["go"] }),
  callback: (step, name) => step.callback(name),
  join: (step, name) => step.join(name, {}),
  loop: (step, name) => step.loop(name, { run: () => undefined }),
};

const codeOf = (error: unknown): string => (WorkflowError.is(error) ? error.code : String(error));

it.each(Object.entries(CALLS))(
  "what is no text is refused as the name of %s, and the run goes on",
  async (_, call) => {
    const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
      await step.do("first", () => 1);
      const codes = new Set<string>();
      for (const name of NAMES)
        await call(step, name as string).catch((error: unknown) => codes.add(codeOf(error)));
      await step.do("last", () => 2);
      return [...codes];
    });
    const harness = createHarness({ workflows: { W: workflow } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({
      status: "complete",
      output: ["INVALID_STEP_NAME"],
    });
  },
);
