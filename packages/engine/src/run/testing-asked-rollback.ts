/** An instance that is terminated with a rollback. */
import type { WorkflowStep } from "../index.ts";

/** Runs a step that is written down, and so is its undo. */
export type Book = (
  step: Pick<WorkflowStep, "do">,
  name: string,
  body?: () => unknown,
) => Promise<unknown>;

/** Steps that note what they do and undo. */
export function createShop(): { readonly done: string[]; readonly book: Book } {
  const done: string[] = [];
  const book: Book = (step, name, body = () => null) =>
    step.do(name, { undo: () => void done.push(`undo ${name}`) }, () => {
      done.push(name);
      return body();
    });
  return { done, book };
}

/** The status of what was rolled back. */
export const ROLLED_BACK = {
  status: "terminated",
  error: { code: "ROLLED_BACK", message: "the instance was to be terminated with a rollback" },
};
