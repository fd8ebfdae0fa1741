/** Checks of what a workflow is given against what it declares. */
import { assertKnownNames } from "../core/known-names.ts";
import type { RegisteredWorkflow } from "./registry.ts";
import type { ValidateOptions } from "./validate.ts";

/** The error for params that do not match the workflow's schema. */
export const paramsOf = ({ name }: Pick<RegisteredWorkflow, "name">): ValidateOptions => ({
  code: "INVALID_PARAMS",
  what: `the params of workflow "${name}"`,
  isPlural: true,
});

/** Checks that a type of event may be sent and waited for. @throws {WorkflowError} EVENT_UNDECLARED */
export function assertDeclared({ name, events }: RegisteredWorkflow, type: string): void {
  if (Object.keys(events).length > 0)
    assertKnownNames(`event type of "${name}"`, { [type]: 1 }, events, "EVENT_UNDECLARED");
}
