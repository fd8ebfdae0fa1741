/** Step 2 of the founding guide 001, word for word but for the packages. */
import { SessionWorkflow } from "./workflows";

export const requiredWorkflows = {
  // Exposed so the app can register this workflow in the Workflows fragment.
  session: SessionWorkflow,
} as const;
