import { defineRoutes } from "@fragno-dev/core";
import { z } from "zod";
import { myFragmentSchema } from "../schema.ts";
import { myFragmentDefinition } from "./definition.ts";

/** What else a session can be asked, in the fragment's own words: its users see no workflow. */
export const sessionRoutesFactory = defineRoutes(myFragmentDefinition).create(
  ({ defineRoute, serviceDeps: { workflows } }) => [
    defineRoute({
      method: "POST",
      path: "/sessions/:id/messages",
      inputSchema: z.object({ text: z.string() }),
      async handler({ input, pathParams: { id } }, { json }) {
        const payload = await input.valid();
        await this.handlerTx()
          .withServiceCalls(() => [
            workflows.sendEvent("session-workflow", id, { type: "user_message", payload }),
          ])
          .execute();
        return json({ id });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/sessions/:id",
      errorCodes: ["SESSION_NOT_FOUND"],
      async handler({ pathParams: { id } }, { json, error }) {
        const found = await this.handlerTx()
          .retrieve(({ forSchema }) =>
            forSchema(myFragmentSchema)
              .findFirst("session", (b) => b.whereIndex("primary", (eb) => eb("id", "=", id)))
              .find("event", (b) => b.whereIndex("idx_session", (eb) => eb("sessionId", "=", id))),
          )
          .transformRetrieve(([owner, events]) => ({ session: owner, messages: events }))
          .transform(({ retrieveResult }) => retrieveResult)
          .execute();
        const { session, messages } = found;
        if (!session) return error({ message: "No such session.", code: "SESSION_NOT_FOUND" }, 404);
        const { status } = await this.handlerTx()
          .withServiceCalls(() => [workflows.getInstanceStatus("session-workflow", id)] as const)
          .transform(({ serviceResult: [details] }) => details)
          .execute();
        return json({
          id,
          agent: session.agent,
          status,
          messages: messages.map(({ payload }) => payload),
        });
      },
    }),
  ],
);
