/** Shape of an instance's description. */
import {
  array,
  boolean,
  exactOptional,
  nullable,
  number,
  picklist,
  strictObject,
  string,
  unknown,
} from "valibot";
import { STEP_STATUSES, STEP_TYPES } from "../core/model/status.ts";
import type { CurrentStepView, InstanceDescription } from "../ports/describe.ts";
import { instanceStatus, waitsFor } from "./answer-shapes.ts";
import type { Shape } from "./value-shapes.ts";

const instant = nullable(number());

const currentStep: Shape<CurrentStepView> = strictObject({
  stepKey: string(),
  type: picklist([...STEP_TYPES]),
  status: picklist([...STEP_STATUSES]),
  attempts: number(),
  maxAttempts: number(),
  waitsFor: nullable(waitsFor),
  attemptStartedAt: instant,
  runner: nullable(string()),
  error: nullable(strictObject({ name: string(), message: string() })),
});

/** Returned by `EngineService.describeInstance`. */
export const description: Shape<InstanceDescription> = strictObject({
  id: string(),
  details: instanceStatus,
  workflowName: string(),
  params: exactOptional(unknown()),
  now: number(),
  createdAt: number(),
  updatedAt: number(),
  startedAt: instant,
  completedAt: instant,
  nextWakeAt: instant,
  heldUntil: instant,
  currentSteps: array(currentStep),
  hasMoreSteps: boolean(),
});
