import { instantiate } from "@fragno-dev/core";
import type { FragnoPublicConfigWithDatabase } from "@fragno-dev/db";
import type { MyFragmentConfig, WorkflowServiceApi } from "./definition.ts";
import { myFragmentDefinition } from "./definition.ts";
import { myRoutesFactory } from "./routes.ts";
import { sessionRoutesFactory } from "./session-routes.ts";

export function createMyFragment(
  config: MyFragmentConfig,
  options: FragnoPublicConfigWithDatabase,
  services: { workflows: WorkflowServiceApi },
) {
  return (
    instantiate(myFragmentDefinition)
      .withConfig(config)
      .withRoutes([myRoutesFactory, sessionRoutesFactory])
      .withOptions(options)
      // App supplies the workflows service here.
      .withServices(services)
      .build()
  );
}
