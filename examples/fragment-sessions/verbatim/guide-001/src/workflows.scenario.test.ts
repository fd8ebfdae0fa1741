/** Step 6 of the founding guide 001, word for word but for the packages. */
import { defineFragment, instantiate } from "@fragno-dev/core";
import { withDatabase } from "@fragno-dev/db";
import { createScenarioSteps, defineScenario, runScenario } from "@escapement/fragno/scenario";

import { requiredWorkflows } from "./index";
import { myFragmentSchema } from "./schema";

const dbFragment = defineFragment("my-fragment")
  // Include your schema so scenario runs have tables to write into.
  .extend(withDatabase(myFragmentSchema))
  .build();

const steps = createScenarioSteps<typeof requiredWorkflows, {}>();

const scenario = defineScenario({
  name: "session-flow",
  workflows: requiredWorkflows,
  harness: {
    // Inject a fragment instance into the harness so workflow steps can mutate schema.
    configureBuilder: (builder) => builder.withFragment("my", instantiate(dbFragment)),
  },
  steps: [
    steps.initializeAndRunUntilIdle({
      workflow: "session",
      id: "sess-1",
      params: { sessionId: "sess-1", agentName: "default" },
    }),
    steps.eventAndRunUntilIdle({
      workflow: "session",
      instanceId: "sess-1",
      event: { type: "user_message", payload: { text: "hi" } },
    }),
  ],
});

await runScenario(scenario);
