/** A workflow that has to clean up, for tests of runs that are asked to end. */
import { defineWorkflow, type WorkflowDefinition } from "../authoring/define-workflow.ts";
import { WorkflowError } from "../core/errors.ts";

/** The workflow, and what its bodies have done. The last body reports the error codes that author code was given. */
export interface CleaningWorkflow {
  readonly W: WorkflowDefinition;
  readonly done: readonly string[];
}

const codeOf = (error: unknown): string => (WorkflowError.is(error) ? error.code : String(error));

export function createCleaningWorkflow(): CleaningWorkflow {
  const done: string[] = [];
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    const told: string[] = [];
    const note = (error: unknown): void => void told.push(codeOf(error));
    try {
      await step.do("lock", () => void done.push("lock"));
      await step.join("work", {
        a: (own) => own.sleep("nap", "1 day").catch(note),
        b: async (own) => {
          await own.waitForEvent("event", { type: "never" });
        },
      });
    } catch (error) {
      note(error);
    } finally {
      await step.shielded.sleep("calm", "1 minute");
      await step.shielded.do("unlock", () => void done.push("unlock"));
      await step.do("more", () => void done.push("more")).catch(note);
      await step.shielded.do("report", () => void done.push(told.join(" ")));
    }
  });
  return { W, done };
}
