import type { FragnoAdapter } from "@escapement/db/fragno";
import { createWorkflowsFragment, defaultFragnoRuntime } from "@escapement/engine/fragment";
import { requiredWorkflows } from "../index.ts";

/** The workflows fragment for an app that mounts its routes too: open to those who bring the token. */
export const createManagedWorkflows = (databaseAdapter: FragnoAdapter, token: string) =>
  createWorkflowsFragment(
    {
      workflows: { ...requiredWorkflows },
      runtime: defaultFragnoRuntime,
      http: {
        authorizeRequest: ({ request }) =>
          request.headers.get("authorization") === `Bearer ${token}`
            ? undefined
            : new Response("Unauthorized", { status: 401 }),
      },
    },
    { databaseAdapter, mountRoute: "/api/workflows" },
  );
