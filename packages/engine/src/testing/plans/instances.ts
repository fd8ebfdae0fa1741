/** What the verbs of the checks of plans are used on: instances, and rows of steps that are new. */
import type { Change } from "../../core/model/change.ts";
import type { NewInstance } from "../../ports/create.ts";
import { newId } from "../store-contract/builders.ts";

/** What a claim of theirs asks for. */
export const CLAIM = { limit: 15, leaseMs: 60_000 } as const;

/** An instance of a random id, due at once. */
export const newInstance = (workflowName: string): NewInstance => ({
  workflowName,
  instanceId: `plan-${newId()}`,
  params: null,
  instanceRowId: newId(),
  taskRowId: newId(),
  start: null,
  claim: null,
});

/** The same change, whose row is another. */
export const fresh = (change: Change): Change =>
  change.kind === "step" ? { ...change, step: { ...change.step, id: newId() } } : change;
