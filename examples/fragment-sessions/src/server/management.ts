import {
  createWorkflowsFragment,
  defaultFragnoRuntime,
  type FragnoAdapter,
} from "@escapement/fragno";
import { bearerAuth } from "@escapement/engine";
import { requiredWorkflows } from "../index.ts";

/** The workflows fragment for an app that mounts its routes too: open to those who bring a secret. */
export const createManagedWorkflows = (
  databaseAdapter: FragnoAdapter,
  secrets: readonly string[],
) =>
  createWorkflowsFragment(
    {
      workflows: { ...requiredWorkflows },
      runtime: defaultFragnoRuntime,
      http: { authorizeRequest: bearerAuth(secrets) },
    },
    { databaseAdapter, mountRoute: "/api/workflows" },
  );
