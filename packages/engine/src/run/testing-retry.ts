/** Runs that fail and are retried. */
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

/** A step of one attempt. */
export const ONCE = { retries: { limit: 0, delay: 0 } };

/** A workflow whose bodies fail while their step's key is in `broken`. */
export async function createFlaky(
  run: (step: WorkflowStep, body: (name: string) => () => Promise<string>) => Promise<unknown>,
  ...failing: readonly string[]
) {
  const broken = new Set(failing);
  const ran: string[] = [];
  const keys = new Map<string, Set<string>>();
  const code = { run };
  const workflow = defineWorkflow({ name: "w" }, (_event, step) =>
    code.run(step, (name) => async (context?: { readonly idempotencyKey: string }) => {
      ran.push(name);
      keys.set(name, (keys.get(name) ?? new Set()).add(context?.idempotencyKey ?? ""));
      if (broken.has(name)) throw new RangeError(`${name} is broken`);
      return name;
    }),
  );
  const harness = createHarness({ workflows: { W: workflow } });
  const instance = await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  return {
    harness,
    instance,
    ran,
    keys,
    code,
    broken,
    /** What ran since the last look. */
    takeRan: () => ran.splice(0).toSorted(),
    retry: async (...mended: readonly string[]) => {
      for (const name of mended) broken.delete(name);
      await instance.retry();
      await harness.runUntilIdle();
      return instance.status();
    },
    rows: async () =>
      (await harness.history("w", "x")).steps.map((step) => `${step.stepKey} ${step.status}`),
  };
}
