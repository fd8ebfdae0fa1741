/** The types in the founding guide 001; `examples/fragment-sessions` contains all of it, and runs it. */
import {
  defineFragment,
  instantiate,
  type InstantiatedFragmentFromDefinition,
} from "@fragno-dev/core";
import {
  type FragnoPublicConfigWithDatabase,
  type ExtractServiceFinalResults,
  type TxResult,
  withDatabase,
} from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { InstanceStatus } from "@escapement/engine";
import { createWorkflowsFragment } from "./create-fragment.ts";
import { defaultFragnoRuntime } from "./runtime.ts";
import { defineWorkflow } from "./authoring.ts";
import type { workflowsFragmentDefinition } from "./definition.ts";

const sessionSchema = schema((s) =>
  s.addTable("event", (t) =>
    t
      .addColumn("id", idColumn())
      .addColumn("sessionId", column("string"))
      .addColumn("payload", column("json").nullable()),
  ),
);
const session = defineWorkflow(
  { name: "session-workflow", schema: z.object({ sessionId: z.string(), agentName: z.string() }) },
  async (event, step) => {
    expectTypeOf(event.payload).toEqualTypeOf<Readonly<{ sessionId: string; agentName: string }>>();
    const message = await step.waitForEvent("user-message", {
      type: "user_message",
      timeout: "7 days",
    });
    const isKept = await step.do("persist-message", (tx) => {
      tx.mutate((ctx) => {
        const { sessionId } = event.payload;
        ctx
          .forSchema(sessionSchema)
          .create("event", { sessionId, payload: message.payload ?? null });
        // @ts-expect-error the schema has no such table
        ctx.forSchema(sessionSchema).create("message", {});
      });
      return { ok: true };
    });
    expectTypeOf(isKept).toEqualTypeOf<{ ok: boolean }>();
    return { ok: true };
  },
);
const other = defineWorkflow({ name: "other-workflow", schema: z.number() }, () => 1);

type WorkflowsService = InstantiatedFragmentFromDefinition<
  typeof workflowsFragmentDefinition
>["services"];
type WorkflowServiceApi = Pick<
  WorkflowsService,
  "createInstance" | "sendEvent" | "getInstanceStatus" | "listHistory"
>;

declare const options: FragnoPublicConfigWithDatabase;
declare const api: WorkflowServiceApi;

describe("the founding guide's types", () => {
  it("S1-001 S1-003 S1-004 S1-005 the function form types params, waits and the transaction of a step", () => {
    expectTypeOf(session.name).toEqualTypeOf<string>();
  });

  it("S1-002 S1-014 services take the workflow's name, and answer with details", () => {
    type Created = ReturnType<WorkflowServiceApi["createInstance"]>;
    expectTypeOf<Parameters<WorkflowServiceApi["createInstance"]>[0]>().toEqualTypeOf<string>();
    expectTypeOf<Parameters<WorkflowServiceApi["sendEvent"]>[0]>().toEqualTypeOf<string>();
    expectTypeOf<Parameters<WorkflowServiceApi["getInstanceStatus"]>[0]>().toEqualTypeOf<string>();
    type Answer = ExtractServiceFinalResults<readonly [Created]>[0];
    expectTypeOf<Answer["details"]>().toEqualTypeOf<InstanceStatus>();
  });

  it("S1-009 S1-011 a fragment declares the methods that it calls, and is given them in its factory", () => {
    const definition = defineFragment("my-fragment")
      .extend(withDatabase(sessionSchema))
      .usesService<"workflows", WorkflowServiceApi>("workflows")
      .build();
    const builder = instantiate(definition).withConfig({}).withRoutes([]).withOptions(options);
    builder.withServices({ workflows: api });
    // @ts-expect-error the service is required
    builder.withServices({});
  });

  it("S1-008 S1-021 registries of several fragments merge under their keys", () => {
    const requiredWorkflows = { session } as const;
    const othersWorkflows = { other } as const;
    const fragment = createWorkflowsFragment(
      { workflows: { ...requiredWorkflows, ...othersWorkflows }, runtime: defaultFragnoRuntime },
      options,
    );
    expectTypeOf<keyof typeof fragment.workflows>().toEqualTypeOf<"session" | "other">();
    void fragment.workflows.other.create({ params: 5 });
    // @ts-expect-error params are the workflow's own
    void fragment.workflows.session.create({ params: { sessionId: 5 } });
    // The whole service can be used where a part of it is required.
    expectTypeOf(fragment.services).toExtend<WorkflowServiceApi>();
  });

  it("S1-022 the runtime is required", () => {
    // @ts-expect-error no runtime
    createWorkflowsFragment({ workflows: { session } }, options);
  });
});

describe("what no declaration of ours can give the founding documents' code (decision 034)", () => {
  it("S0-057 a parameter that has no type: TypeScript takes none from the class above, nor for a function alone", () => {
    abstract class Base {
      abstract run(event: { readonly id: string }): unknown;
    }
    class Child extends Base {
      // @ts-expect-error microsoft/TypeScript#23911, open when read 2026-11
      run(event) {
        return event;
      }
    }
    // @ts-expect-error as the guide's initServer(adapter)
    const initServer = async (adapter) => adapter;
    expectTypeOf(initServer).toBeFunction();
    expectTypeOf<Child>().toExtend<Base>();
  });

  it("S1-013 a first result that is there: Fragno types an array without `as const` as one of unknown length", () => {
    type Call = TxResult<{ readonly id: string }>;
    const loose = [] as unknown as ExtractServiceFinalResults<readonly Call[]>;
    const tuple = [{ id: "a" }] as unknown as ExtractServiceFinalResults<readonly [Call]>;
    // Only under `noUncheckedIndexedAccess`, which is not part of `strict`.
    expectTypeOf(loose[0]).toEqualTypeOf<{ readonly id: string } | undefined>();
    expectTypeOf(tuple[0]).toEqualTypeOf<{ readonly id: string }>();
  });
});
