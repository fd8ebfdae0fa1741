import { SessionWorkflow } from "./workflows.ts";

export const requiredWorkflows = {
  // Exposed so the app can register this workflow in the Workflows fragment.
  session: SessionWorkflow,
} as const;
