/** Step 3 of the founding guide 001, word for word but for the packages. */
import { defineFragment, type InstantiatedFragmentFromDefinition } from "@fragno-dev/core";
import { withDatabase } from "@fragno-dev/db";
import type { workflowsFragmentDefinition } from "@escapement/fragno";

import { myFragmentSchema } from "./schema";

type WorkflowsService = InstantiatedFragmentFromDefinition<
  typeof workflowsFragmentDefinition
>["services"];

export type WorkflowServiceApi = Pick<
  WorkflowsService,
  "createInstance" | "sendEvent" | "getInstanceStatus" | "listHistory"
>;

export type MyFragmentConfig = {/* fragment config */};

export const myFragmentDefinition = defineFragment("my-fragment")
  .extend(withDatabase(myFragmentSchema))
  // Declare the dependency so routes can call workflows.*.
  .usesService<"workflows", WorkflowServiceApi>("workflows")
  .build();
