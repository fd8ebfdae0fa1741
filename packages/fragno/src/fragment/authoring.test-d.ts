import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createEngine, type StepContext } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { defineWorkflow, WorkflowEntrypoint } from "./authoring.ts";
import type { StepTx, TxWorkflowStep } from "./step-tx.ts";
import { bankSchema, type Bench } from "./testing-step-tx.ts";

declare const bench: Bench;

const paid = z.object({ amount: z.number() });

test("S1-004 S1-005 callbacks are given a transaction beside the step's context; columns are typed", () => {
  defineWorkflow(
    { name: "w", schema: z.object({ id: z.string() }), events: { paid } },
    async (event, step) => {
      const result = await step.do("sync", (tx) => {
        expectTypeOf(tx).toEqualTypeOf<StepTx>();
        expectTypeOf(tx).toExtend<StepContext>();
        tx.mutate((ctx) => {
          ctx.forSchema(bankSchema).create("entry", { key: event.payload.id, amount: 1 });
          // @ts-expect-error -- the column holds text
          ctx.forSchema(bankSchema).create("entry", { key: 1 });
        });
        tx.serviceCalls(() => [bench.bank.services.book("id", 1)]);
        return { ok: true };
      });
      expectTypeOf(result).toEqualTypeOf<{ ok: boolean }>();
      const received = await step.waitForEvent("wait", {
        type: "paid",
        onConsume: (tx, { payload }) => {
          expectTypeOf(payload).toEqualTypeOf<Readonly<{ amount: number }>>();
          tx.mutate(() => undefined);
        },
      });
      expectTypeOf(received.payload).toEqualTypeOf<Readonly<{ amount: number }>>();
      await step.do(
        "config",
        {
          timeout: "1 minute",
          onTerminalError: (error, tx) => {
            expectTypeOf(error).toEqualTypeOf<Error>();
            tx.mutate(() => undefined);
          },
        },
        () => undefined,
      );
      await step.sleep("nap", "1 hour");
    },
  );
});

test("function and class workflows are registered as the plain ones are", () => {
  class Order extends WorkflowEntrypoint<unknown, { readonly id: string }> {
    async run(event: { readonly payload: { readonly id: string } }, step: TxWorkflowStep) {
      return step.do("write", (tx) => {
        tx.mutate(() => undefined);
        return event.payload.id;
      });
    }
  }
  const workflows = {
    FUNCTION: defineWorkflow({ name: "f", schema: paid }, () => undefined),
    CLASS: { name: "c", workflow: Order },
  };
  const engine = createEngine({ workflows, store: createMemoryStore() });
  expectTypeOf(engine.workflows.FUNCTION.create)
    .parameter(0)
    .toExtend<{ readonly params?: { amount: number } } | undefined>();
  expectTypeOf(engine.workflows.CLASS.create)
    .parameter(0)
    .toExtend<{ readonly params?: { readonly id: string } | undefined } | undefined>();
});
