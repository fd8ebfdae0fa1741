/** Shape of an explanation, by its cause. */
import {
  array,
  exactOptional,
  intersect,
  literal,
  nullable,
  number,
  object,
  picklist,
  strictObject,
  string,
  variant,
} from "valibot";
import type { Cause, Explanation } from "../core/explain/explanation.ts";
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import { divergedStep } from "./answer-shapes.ts";
import type { Shape } from "./value-shapes.ts";

const frame = object({
  sentence: string(),
  status: picklist(INSTANCE_STATUSES),
  runNumber: number(),
  now: number(),
  otherWaits: number(),
  diverged: array(divergedStep),
  deadlineAt: nullable(number()),
});
const error = nullable(strictObject({ name: string(), message: string() }));
const since = { since: exactOptional(number()) };
const until = { until: exactOptional(number()) };
const atStep = { step: string(), ...until };
const due = { since: number(), dueForMs: number() };
const child = strictObject({
  workflowName: string(),
  id: string(),
  runNumber: number(),
  status: picklist(INSTANCE_STATUSES),
});
const buffered = array(strictObject({ type: string(), count: number() }));

const of = <const C extends Cause, const Fields extends object>(cause: C, fields: Fields) =>
  object({ cause: literal(cause), ...fields });

export const explanation: Shape<Explanation> = intersect([
  variant("cause", [
    of("complete", since),
    of("terminated", since),
    of("errored", { ...since, error }),
    of("paused", {}),
    of("pauseRequested", { until: number() }),
    of("endRequested", {
      request: picklist(["cancel", "rollback", "terminate", "deadline"]),
      ...until,
    }),
    of("startsLater", { until: number() }),
    of("runRetry", { until: number(), retryCount: number(), error }),
    of("sleeping", atStep),
    of("waitsForEvent", { ...atStep, types: array(string()), buffered }),
    of("waitsForCallback", atStep),
    of("waitsForTopic", { ...atStep, topic: string() }),
    of("waitsForChild", { ...atStep, child: nullable(child) }),
    of("retryingStep", { ...atStep, attempts: number(), maxAttempts: number(), error }),
    of("due", due),
    of("unregistered", due),
    of("held", { until: number(), running: array(string()) }),
    of("leaseEnded", { since: number() }),
    of("crashLoop", { lostLeases: number(), ...until }),
    of("diverged", until),
    of("scheduled", until),
    of("noTask", {}),
  ]),
  frame,
]);
