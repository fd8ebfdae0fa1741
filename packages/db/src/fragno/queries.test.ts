import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFragnoAdapter } from "./index.ts";
import { openShop, shopSchema } from "./testing/shop.ts";
import { SERVERS, type TestServer } from "./testing/databases.ts";

describe.each(SERVERS)("queries on $name", ({ start }) => {
  let server: TestServer;
  let shop: Awaited<ReturnType<typeof openShop>>;

  beforeAll(async () => {
    server = await start();
    const adapter = createFragnoAdapter({ database: server.open() });
    shop = await openShop(adapter);
    await shop.inContext(async function () {
      await this.handlerTx()
        .mutate(({ forSchema }) => {
          const uow = forSchema(shopSchema);
          const ann = uow.create("customer", { id: "ann", name: "Ann", points: 5 });
          uow.create("customer", { id: "bob", name: "Bob", invitedBy: ann, email: "b@x.org" });
          const order = uow.create("order", {
            id: "o1",
            customerId: ann,
            total: 1.5,
            note: [1, "a"],
          });
          uow.create("order", { id: "o2", customerId: "ann", total: 2 });
          uow.create("line", { orderId: order, sku: "x", count: 1 });
          uow.create("line", { orderId: order, sku: "y", count: 2 });
        })
        .execute();
    });
  });
  afterAll(() => server.drop());

  test("joins nest", async () => {
    const found = await shop.inContext(function () {
      return this.handlerTx()
        .retrieve(({ forSchema }) =>
          forSchema(shopSchema).find("customer", (b) =>
            b
              .whereIndex("primary", (eb) => eb("id", "in", ["ann", "bob"]))
              .orderByIndex("idx_name", "asc")
              .join((j) =>
                j
                  .inviter()
                  .orders((o) => o.orderByIndex("idx_total_due", "desc").join((k) => k.lines())),
              ),
          ),
        )
        .transformRetrieve(([customers]) => customers)
        .execute();
    });
    expect(found).toHaveLength(2);
  });
});
