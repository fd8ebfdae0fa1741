/** A shop's fragment that composes with the workflows fragment, on whatever database a runtime has. Web APIs only. */
import type { Database } from "@escapement/db";
import {
  createDurableHooksProcessor,
  createFragnoAdapter,
  createWorkflowsFragment,
  defaultFragnoRuntime,
  defineWorkflow,
  hookSignal,
  type WorkflowsServices,
} from "@escapement/fragno";
import { type BoundServices, defineFragment, defineRoutes, instantiate } from "@fragno-dev/core";
import { migrate, withDatabase } from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";

type Handler = (request: Request) => Promise<Response>;

const shopSchema = schema((s) =>
  s
    .addTable("order", (t) => t.addColumn("id", idColumn()))
    .addTable("shipment", (t) =>
      t
        .addColumn("id", idColumn())
        .addColumn("orderId", column("string"))
        .addColumn("carrier", column("json")),
    ),
);

const ORDER = defineWorkflow({ name: "order" }, async (event, step) => {
  const { payload } = await step.waitForEvent("paid", { type: "paid" });
  await step.do("ship", (tx) =>
    tx.mutate(({ forSchema }) => {
      forSchema(shopSchema).create("shipment", { orderId: event.instanceId, carrier: payload });
    }),
  );
  return "shipped";
});

interface ShopConfig {
  readonly onOrdered: (orderId: string) => void;
}

const definition = defineFragment<ShopConfig>("shop")
  .extend(withDatabase(shopSchema, "shop"))
  .usesService<"workflows", Pick<BoundServices<WorkflowsServices>, "createInstance">>("workflows")
  .provideHooks(({ defineHook, config }) => ({
    onOrdered: defineHook(async ({ id }: { id: string }) => config.onOrdered(id)),
  }))
  .providesBaseService(({ defineService }) =>
    defineService({
      order(id: string) {
        return this.serviceTx(shopSchema)
          .mutate(({ uow }) => {
            uow.triggerHook("onOrdered", { id });
            return uow.create("order", { id });
          })
          .build();
      },
    }),
  )
  .build();

const routes = defineRoutes(definition).create(({ defineRoute, services, serviceDeps }) => [
  defineRoute({
    method: "POST",
    path: "/orders/:id",
    async handler({ pathParams: { id } }, { json }) {
      const status = await this.handlerTx()
        .withServiceCalls(
          () =>
            [services.order(id), serviceDeps.workflows.createInstance("order", { id })] as const,
        )
        .transform(({ serviceResult: [, instance] }) => instance.details.status)
        .execute();
      return json({ id, status });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/shipments",
    async handler(_input, { json }) {
      const shipments = await this.handlerTx()
        .retrieve(({ forSchema }) =>
          forSchema(shopSchema).find("shipment", (b) => b.whereIndex("primary")),
        )
        .transformRetrieve(([found]) => found)
        .execute();
      return json(shipments.map(({ orderId, carrier }) => ({ orderId, carrier })));
    },
  }),
]);

/** Answers for both fragments under `/api`, and under `/migrate`, `/tick` and `/told` for the test. */
export function openFragnoApp(database: Database): Handler {
  const databaseAdapter = createFragnoAdapter({ database });
  const told: string[] = [];
  const workflows = createWorkflowsFragment(
    { workflows: { ORDER }, runtime: defaultFragnoRuntime, http: { open: true } },
    { databaseAdapter },
  );
  const shop = instantiate(definition)
    .withConfig({ onOrdered: (id) => void told.push(`${id} ${hookSignal().aborted}`) })
    .withRoutes([routes])
    .withOptions({ databaseAdapter })
    .withServices({ workflows: workflows.services })
    .build();
  const processor = createDurableHooksProcessor([workflows, shop]);
  const answers: Readonly<Record<string, () => Promise<unknown>>> = {
    "/migrate": async () => {
      await migrate(workflows);
      await migrate(shop);
      return "migrated";
    },
    "/tick": () => processor.process(),
    "/told": () => Promise.resolve(told),
  };
  return async (request) => {
    const { pathname } = new URL(request.url);
    const answer = answers[pathname];
    if (answer !== undefined) return Response.json(await answer());
    return (pathname.startsWith(shop.mountRoute) ? shop : workflows).handler(request);
  };
}
