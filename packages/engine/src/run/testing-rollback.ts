/** Runs that are rolled back. */
import type { WorkflowStep } from "../index.ts";

/** A step of one attempt. */
export const ONCE = { retries: { limit: 0 } } as const;

/** Steps that say what they do and what they undo. */
export function createTrip(): {
  readonly done: string[];
  book(step: Pick<WorkflowStep, "do">, name: string): Promise<string>;
} {
  const done: string[] = [];
  return {
    done,
    book: (step, name) =>
      step.do(
        name,
        { undo: (result: string, { stepKey }) => void done.push(`undo ${result} as ${stepKey}`) },
        () => {
          done.push(name);
          return `id of ${name}`;
        },
      ),
  };
}
