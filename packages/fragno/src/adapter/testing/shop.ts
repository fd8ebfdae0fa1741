/** A typical fragment for the tests of this folder: customers, orders and lines. */
import { defineFragment, instantiate } from "@fragno-dev/core";
import { migrate, withDatabase } from "@fragno-dev/db";
import { column, idColumn, referenceColumn, schema } from "@fragno-dev/db/schema";
import type { FragnoAdapter } from "../adapter.ts";

export const createShopSchema = () =>
  schema((s) =>
    s
      .addTable("customer", (t) =>
        t
          .addColumn("id", idColumn())
          .addColumn("name", column("string"))
          .addColumn("email", column("string").nullable())
          .addColumn("active", column("bool").defaultTo(true))
          .addColumn("points", column("integer").defaultTo(0))
          .addColumn("invitedBy", referenceColumn().nullable())
          .createIndex("idx_name", ["name"])
          .createIndex("idx_active_points", ["active", "points"])
          .createIndex("idx_inviter", ["invitedBy"])
          .createIndex("idx_email", ["email"], { unique: true }),
      )
      .addTable("order", (t) =>
        t
          .addColumn("id", idColumn())
          .addColumn("customerId", referenceColumn())
          .addColumn("note", column("json").nullable())
          .addColumn("total", column("decimal"))
          .addColumn("big", column("bigint").nullable())
          .addColumn("bytes", column("binary").nullable())
          .addColumn("day", column("date").nullable())
          .addColumn("dueAt", column("timestamp").nullable())
          .addColumn(
            "createdAt",
            column("timestamp").defaultTo((b) => b.now()),
          )
          .createIndex("idx_customer", ["customerId"])
          .createIndex("idx_due", ["dueAt"])
          .createIndex("idx_total_due", ["total", "dueAt"])
          .createIndex("idx_big", ["big"])
          .createIndex("idx_created", ["createdAt"]),
      )
      .addTable("line", (t) =>
        t
          .addColumn("id", idColumn())
          .addColumn("orderId", referenceColumn())
          .addColumn("sku", column("string"))
          .addColumn("count", column("integer"))
          .createIndex("idx_order", ["orderId"])
          .createIndex("idx_sku", ["sku"]),
      )
      .addReference("inviter", {
        type: "one",
        from: { table: "customer", column: "invitedBy" },
        to: { table: "customer", column: "id" },
      })
      .addReference("customer", {
        type: "one",
        from: { table: "order", column: "customerId" },
        to: { table: "customer", column: "id" },
      })
      .addReference("order", {
        type: "one",
        from: { table: "line", column: "orderId" },
        to: { table: "order", column: "id" },
      })
      .addReference("lines", {
        type: "many",
        from: { table: "order", column: "id" },
        to: { table: "line", column: "orderId" },
      })
      .addReference("orders", {
        type: "many",
        from: { table: "customer", column: "id" },
        to: { table: "order", column: "customerId" },
      }),
  );

export const shopSchema = createShopSchema();

/** The fragment's definition; by default for `shopSchema`. */
export const defineShop = (of = shopSchema, namespace = "shop") =>
  defineFragment("shop").extend(withDatabase(of, namespace)).build();

const shopDefinition = defineShop();

/** The fragment without hooks, with its tables. */
export async function openShop(databaseAdapter: FragnoAdapter, definition = shopDefinition) {
  const shop = instantiate(definition)
    .withConfig({})
    .withRoutes([])
    .withOptions({ databaseAdapter })
    .build();
  await migrate(shop);
  return shop;
}
