import { describe, expectTypeOf, it } from "vitest";
import type { HistoryOutput, ListInstancesOutput } from "@escapement/engine/internal";
import type { InstanceView } from "@escapement/engine";
import { createWorkflowsClients as createForReact } from "./react.ts";
import type { createWorkflowsClients as createForSolid } from "./solid.ts";
import type { createWorkflowsClients as createForSvelte } from "./svelte.ts";
import { createWorkflowsClients as createForVanilla } from "./vanilla.ts";
import type { createWorkflowsClients as createForVue } from "./vue.ts";

const path = { workflowName: "order", instanceId: "a" };

describe("clients know what the routes take and give", () => {
  it("vanilla", () => {
    const { useListInstances, useGetInstance, useListHistory, useCreateInstance } =
      createForVanilla();
    expectTypeOf(useListInstances({ path }).get().data).toEqualTypeOf<
      ListInstancesOutput | undefined
    >();
    expectTypeOf(useGetInstance({ path }).get().data).toEqualTypeOf<InstanceView | undefined>();
    expectTypeOf(
      useListHistory({ path, query: { runNumber: "1" } as never }).get().data,
    ).toEqualTypeOf<HistoryOutput | undefined>();
    const { mutate } = useCreateInstance();
    expectTypeOf(
      mutate({ path, body: { id: "a", params: {} } }),
    ).resolves.toEqualTypeOf<InstanceView>();
    void mutate({ path, query: { waitMs: "1000" }, body: { delay: "1 hour" } });
    useGetInstance({ path, query: { waitMs: "1000" } });
    void mutate({ path, body: { startAt: 1 } });
    // @ts-expect-error JSON has no dates
    void mutate({ path, body: { startAt: new Date() } });
    // @ts-expect-error an id is text
    void mutate({ path, body: { id: 1 } });
    // @ts-expect-error no workflow is named
    void mutate({ path: {}, body: {} });
  });

  it("the ticks have none", () => {
    expectTypeOf(createForVanilla()).not.toHaveProperty("useTick");
    expectTypeOf(createForVanilla()).toHaveProperty("useRestartInstance");
  });

  it("React", () => {
    const clients = createForReact({ mountRoute: "/flows", baseUrl: "https://app.example" });
    expectTypeOf(clients.useGetInstance({ path }).data).toEqualTypeOf<InstanceView | undefined>();
    const { mutate } = clients.useSendEvent();
    // @ts-expect-error an event has a type
    void mutate({ path, body: { payload: 1 } });
  });

  it("Vue, Svelte and Solid have the same names", () => {
    expectTypeOf<keyof ReturnType<typeof createForVue>>().toEqualTypeOf<
      keyof ReturnType<typeof createForVanilla>
    >();
    expectTypeOf<keyof ReturnType<typeof createForSvelte>>().toEqualTypeOf<
      keyof ReturnType<typeof createForReact>
    >();
    expectTypeOf<keyof ReturnType<typeof createForSolid>>().toEqualTypeOf<
      keyof ReturnType<typeof createForReact>
    >();
  });
});
