import { createScenarioSteps, defineScenario, runScenario } from "@escapement/fragno/scenario";
import {
  defineFragment,
  instantiate,
  type InstantiatedFragmentFromDefinition,
} from "@fragno-dev/core";
import { withDatabase } from "@fragno-dev/db";
import { expect, test } from "vitest";
import { myFragmentDefinition } from "./fragment/definition.ts";
import { myRoutesFactory } from "./fragment/routes.ts";
import { requiredWorkflows } from "./index.ts";
import { myFragmentSchema } from "./schema.ts";

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

test("S1-016 S1-017 S1-018 S1-019 a message ends the session, and its row is there with it", async () => {
  const looks = steps.assert(async ({ db, status }) => {
    expect(await status("session", "sess-1")).toMatchObject({ output: { ok: true } });
    expect(await db(myFragmentSchema).find("event")).toMatchObject([
      { sessionId: "sess-1", payload: { text: "hi" } },
    ]);
  });
  await runScenario({ ...scenario, steps: [...scenario.steps, looks] });
});

test("S1-013 S1-017 the fragment itself plays: its route creates the session, and the workflow waits", async () => {
  type My = InstantiatedFragmentFromDefinition<typeof myFragmentDefinition>;
  const play = createScenarioSteps<typeof requiredWorkflows, { id: string }, { readonly my: My }>();
  await runScenario(
    defineScenario({
      name: "session-by-route",
      workflows: requiredWorkflows,
      harness: {
        configureBuilder: (builder) =>
          builder.withFragment("my", ({ workflows }) =>
            instantiate(myFragmentDefinition)
              .withConfig({})
              .withRoutes([myRoutesFactory])
              .withServices({ workflows }),
          ),
      },
      steps: [
        play.read({
          storeAs: "id",
          async read({ fragments: { my } }) {
            const answer = await my.handler(
              new Request("http://test/api/my-fragment/sessions", {
                method: "POST",
                headers: { "content-type": "application/json" },
                body: JSON.stringify({ agentName: "ada" }),
              }),
            );
            return ((await answer.json()) as { id: string }).id;
          },
        }),
        play.runUntilIdle(),
        play.restartRunner(),
        play.assert(async ({ db, status, vars: { id } }) => {
          expect(await status("session", id)).toMatchObject({ status: "waiting" });
          expect(await db(myFragmentSchema).find("session")).toMatchObject([{ agent: "ada" }]);
        }),
      ],
    }),
  );
});
