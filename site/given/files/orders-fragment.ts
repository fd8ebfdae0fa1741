/** A fragment as somebody has one. */
import { defineFragment, instantiate } from "@fragno-dev/core";
import { type FragnoPublicConfigWithDatabase, withDatabase } from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";

const ordersSchema = schema((builder) =>
  builder.addTable("order", (table) =>
    table.addColumn("id", idColumn()).addColumn("item", column("string")),
  ),
);

const definition = defineFragment("orders").extend(withDatabase(ordersSchema)).build();

export const createOrdersFragment = (options: FragnoPublicConfigWithDatabase) =>
  instantiate(definition).withOptions(options).build();
