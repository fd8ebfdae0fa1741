/** Step 3 of the founding guide 001, word for word but for the packages. */
import type { FragnoPublicConfigWithDatabase } from "@fragno-dev/db";
import { instantiate } from "@fragno-dev/core";
import type { MyFragmentConfig, WorkflowServiceApi } from "./definition";
import { myFragmentDefinition } from "./definition";
import { myRoutesFactory } from "./routes";

export function createMyFragment(
  config: MyFragmentConfig,
  options: FragnoPublicConfigWithDatabase,
  services: { workflows: WorkflowServiceApi },
) {
  return (
    instantiate(myFragmentDefinition)
      .withConfig(config)
      .withRoutes([myRoutesFactory])
      .withOptions(options)
      // App supplies the workflows service here.
      .withServices(services)
      .build()
  );
}
