/** The integration note of the founding guide 001, word for word but for the packages. */
import { defaultFragnoRuntime } from "@escapement/fragno";
import { createDurableHooksProcessor } from "@escapement/fragno";
import { migrate } from "@fragno-dev/db";
import { createWorkflowsFragment } from "@escapement/fragno";

import { createMyFragment } from "./fragment";
import { requiredWorkflows } from "./index";

export async function initServer(adapter) {
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
