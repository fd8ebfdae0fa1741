import type { workflowsFragmentDefinition } from "@escapement/fragno";
import { defineFragment, type InstantiatedFragmentFromDefinition } from "@fragno-dev/core";
import { withDatabase } from "@fragno-dev/db";
import { myFragmentSchema } from "../schema.ts";

type WorkflowsService = InstantiatedFragmentFromDefinition<
  typeof workflowsFragmentDefinition
>["services"];

export type WorkflowServiceApi = Pick<
  WorkflowsService,
  "createInstance" | "sendEvent" | "getInstanceStatus" | "listHistory"
>;

export type MyFragmentConfig = {/* fragment config */};

export const myFragmentDefinition = defineFragment<MyFragmentConfig>("my-fragment")
  .extend(withDatabase(myFragmentSchema))
  // Declare the dependency so routes can call workflows.*.
  .usesService<"workflows", WorkflowServiceApi>("workflows")
  .build();
