/** Budgets without the input of a tick. */
import type { Host } from "../ports/host.ts";
import { type Budget, createBudget } from "./budget.ts";

/** A budget that is used up: nothing may begin. */
export const spentBudget = (host: Host): Budget =>
  createBudget(host, { deadline: 0, maxSteps: 0, expectedStepMs: 0 });

/** A budget without bounds, for loops that live as long as their process. */
export const unboundedBudget = (host: Host): Budget =>
  createBudget(host, { deadline: null, maxSteps: Infinity, expectedStepMs: 0 });
