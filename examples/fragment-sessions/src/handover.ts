import { defineWorkflow } from "@escapement/fragno";
import type { TxResult } from "@fragno-dev/db";
import type { FragnoId } from "@fragno-dev/db/schema";
import { z } from "zod";
import { myFragmentSchema } from "./schema.ts";

/** Another fragment, whose service a step calls. */
export interface Diary {
  write(text: string): TxResult<FragnoId, FragnoId>;
}

interface Surroundings {
  /** Asked at each call: fragments are made after the workflows. */
  readonly diary: () => Diary;
  readonly ring: (person: string, idempotencyKey: string) => Promise<void>;
}

/** Hands a session over to a person. Whatever a step writes commits with the step, the failure of one included. */
export const defineHandover = ({ diary, ring }: Surroundings) =>
  defineWorkflow(
    { name: "handover-workflow", schema: z.object({ sessionId: z.string() }) },
    async (event, step) => {
      const { sessionId } = event.payload;
      const taken = await step.waitForEvent<{ person: string }>("taken", {
        type: "taken",
        // Commits with the event's consumption.
        onConsume: (tx, { payload }) => {
          tx.mutate(({ forSchema }) => {
            forSchema(myFragmentSchema).create("event", { sessionId, payload });
          });
        },
      });

      await step.do(
        "ring",
        {
          retries: { limit: 1, delay: "10 seconds" },
          // Commits with the failure, when no attempt is left.
          onTerminalError: (error, tx) => {
            const payload = { unreachable: error.message };
            tx.mutate(({ forSchema }) => {
              forSchema(myFragmentSchema).create("event", { sessionId, payload });
            });
          },
        },
        ({ idempotencyKey }) => ring(taken.payload.person, idempotencyKey),
      );

      await step.do("note", (tx) => {
        // Another fragment's rows and hooks, in the same commit.
        tx.serviceCalls(() => [diary().write(`${sessionId}: ${taken.payload.person}`)]);
      });
    },
  );
