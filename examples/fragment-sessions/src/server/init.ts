import {
  createDurableHooksProcessor,
  createWorkflowsFragment,
  defaultFragnoRuntime,
  type FragnoAdapter,
} from "@escapement/fragno";
import { migrate } from "@fragno-dev/db";
import { createMyFragment } from "../fragment/index.ts";
import { requiredWorkflows } from "../index.ts";

export async function initServer(adapter: FragnoAdapter) {
  const workflowsFragment = createWorkflowsFragment(
    { workflows: { ...requiredWorkflows }, runtime: defaultFragnoRuntime },
    { databaseAdapter: adapter },
  );

  const myFragment = createMyFragment(
    {/* fragment config */},
    { databaseAdapter: adapter },
    // Wire the workflows service into your fragment.
    { workflows: workflowsFragment.services },
  );

  await migrate(workflowsFragment);
  await migrate(myFragment);

  const dispatcher = createDurableHooksProcessor([workflowsFragment, myFragment], {
    pollIntervalMs: 250,
  });
  // Without a dispatcher, workflows will not advance.
  dispatcher.startPolling();

  return { workflowsFragment, myFragment, dispatcher };
}
