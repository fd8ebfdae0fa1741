/** A shop's fragment, as anybody would write it: a request places an order, its hook and its workflow in one transaction. */
import type { workflowsFragmentDefinition } from "@escapement/fragno";
import {
  defineFragment,
  defineRoutes,
  type InstantiatedFragmentFromDefinition,
  instantiate,
} from "@fragno-dev/core";
import { type FragnoPublicConfigWithDatabase, withDatabase } from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";

export const ordersSchema = schema((s) =>
  s
    // One row an order; the id is the customer's.
    .addTable("order", (t) => t.addColumn("id", idColumn()))
    // Written by the workflow's steps; nothing but the step's own commit keeps an order from paying twice.
    .addTable("payment", (t) =>
      t
        .addColumn("id", idColumn())
        .addColumn("orderId", column("string"))
        .addColumn("stepName", column("string"))
        .createIndex("idx_order", ["orderId"]),
    ),
);

/** The part of the workflows' services that is called here. */
type WorkflowsService = Pick<
  InstantiatedFragmentFromDefinition<typeof workflowsFragmentDefinition>["services"],
  "createInstance"
>;

/** What the hook is called with. */
export interface PlacedOrder {
  readonly orderId: string;
  readonly idempotencyKey: string;
}

export interface OrdersConfig {
  /** Workflow of each order. */
  readonly workflowName: string;
  /** The hook's work. */
  readonly onPlaced: (order: PlacedOrder) => void | Promise<void>;
}

const definition = defineFragment<OrdersConfig>("orders")
  .extend(withDatabase(ordersSchema, "orders"))
  .usesService<"workflows", WorkflowsService>("workflows")
  .provideHooks(({ defineHook, config }) => ({
    onOrderPlaced: defineHook(async function (payload: { orderId: string }) {
      await config.onPlaced({ orderId: payload.orderId, idempotencyKey: this.idempotencyKey });
    }),
  }))
  .providesBaseService(({ defineService }) =>
    defineService({
      /** Writes an order; its hook is filed in the same transaction. */
      place(orderId: string) {
        return this.serviceTx(ordersSchema)
          .mutate(({ uow }) => {
            uow.triggerHook("onOrderPlaced", { orderId });
            return uow.create("order", { id: orderId });
          })
          .build();
      },
    }),
  )
  .build();

const routes = defineRoutes(definition).create(
  ({ defineRoute, services, serviceDeps: { workflows }, config }) => [
    defineRoute({
      method: "POST",
      path: "/orders/:id",
      async handler({ pathParams: { id } }, { json }) {
        const params = { orderId: id };
        const status = await this.handlerTx()
          .withServiceCalls(
            () =>
              [
                services.place(id),
                workflows.createInstance(config.workflowName, { id, params }),
              ] as const,
          )
          .transform(({ serviceResult: [, instance] }) => instance.details.status)
          .execute();
        return json({ id, status });
      },
    }),
  ],
);

/** Instantiates the fragment; the app hands in the workflows' services. Its tables are not made. */
export const createOrdersFragment = (
  config: OrdersConfig,
  options: FragnoPublicConfigWithDatabase,
  services: { readonly workflows: WorkflowsService },
) =>
  instantiate(definition)
    .withConfig(config)
    .withRoutes([routes])
    .withOptions(options)
    .withServices(services)
    .build();

export type OrdersFragment = ReturnType<typeof createOrdersFragment>;

/** Places an order as a request of the outside would. */
export const placeOrder = (orders: OrdersFragment, orderId: string): Promise<Response> =>
  orders.handler(
    new Request(`http://localhost${orders.mountRoute}/orders/${orderId}`, { method: "POST" }),
  );
