/** Step 4 of the founding guide 001, word for word but for the packages. */
import { defineRoutes } from "@fragno-dev/core";
import { createId } from "@fragno-dev/db/id";
import { z } from "zod";
import { myFragmentDefinition } from "./definition";
import { myFragmentSchema } from "./schema";

const createSessionSchema = z.object({
  agentName: z.string(),
});

export const myRoutesFactory = defineRoutes(myFragmentDefinition).create(
  ({ defineRoute, serviceDeps }) => [
    defineRoute({
      method: "POST",
      path: "/sessions",
      inputSchema: createSessionSchema,
      errorCodes: ["WORKFLOWS_REQUIRED"],
      handler: async function ({ input }, { json, error }) {
        const values = await input.valid();
        const workflows = serviceDeps.workflows;
        if (!workflows) {
          return error({ message: "Workflows service missing.", code: "WORKFLOWS_REQUIRED" });
        }

        const sessionId = createId();
        const created = await this.handlerTx()
          // Create the workflow instance and the session record in one transaction.
          .withServiceCalls(() => [
            workflows.createInstance("session-workflow", {
              id: sessionId,
              params: { sessionId, agentName: values.agentName },
            }),
          ])
          .mutate(({ forSchema }) => {
            const uow = forSchema(myFragmentSchema);
            uow.create("session", {
              id: sessionId,
              agent: values.agentName,
              status: "active",
            });
          })
          .transform(({ serviceResult }) => serviceResult[0])
          .execute();

        return json({ id: sessionId, status: created.details.status });
      },
    }),
  ],
);
