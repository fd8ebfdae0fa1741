/** Subjects for the checks of plans: instances, and rows of new steps. */
import type { Change } from "../../core/model/change.ts";
import type { NewInstance } from "../../ports/create.ts";
import { newId } from "../store-contract/builders.ts";

/** The size of their claims. */
export const CLAIM = { limit: 15, leaseMs: 60_000 } as const;

/** An instance with a random id, due at once. */
export const newInstance = (workflowName: string): NewInstance => ({
  workflowName,
  instanceId: `plan-${newId()}`,
  params: null,
  instanceRowId: newId(),
  taskRowId: newId(),
  start: null,
  claim: null,
});

/** The same change with a new row. */
export const fresh = (change: Change): Change =>
  change.kind === "step" ? { ...change, step: { ...change.step, id: newId() } } : change;
