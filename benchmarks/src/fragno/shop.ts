/** Fragments with rows of their own, to compose with: one without hooks, one whose hook does nothing. */
import { defineFragment, instantiate } from "@fragno-dev/core";
import { type FragnoPublicConfigWithDatabase, withDatabase } from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";

const createOrderSchema = () =>
  schema((s) =>
    s.addTable("order", (t) =>
      t.addColumn("id", idColumn()).addColumn("customer", column("string")),
    ),
  );

export const plainSchema = createOrderSchema();
export const hookedSchema = createOrderSchema();

const plainDefinition = defineFragment("plain").extend(withDatabase(plainSchema, "plain")).build();

const hookedDefinition = defineFragment("hooked")
  .extend(withDatabase(hookedSchema, "hooked"))
  .provideHooks(({ defineHook }) => ({
    onOrder: defineHook(async function (_payload: { id: string }) {
      await Promise.resolve();
    }),
  }))
  .providesBaseService(({ defineService }) =>
    defineService({
      /** Writes an order; its hook is filed in the same transaction. */
      place(id: string) {
        return this.serviceTx(hookedSchema)
          .mutate(({ uow }) => {
            uow.triggerHook("onOrder", { id });
            return uow.create("order", { id, customer: "anybody" });
          })
          .build();
      },
    }),
  )
  .build();

/** Not migrated. */
export const createPlain = (options: FragnoPublicConfigWithDatabase) =>
  instantiate(plainDefinition).withConfig({}).withRoutes([]).withOptions(options).build();

/** Not migrated. */
export const createHooked = (options: FragnoPublicConfigWithDatabase) =>
  instantiate(hookedDefinition).withConfig({}).withRoutes([]).withOptions(options).build();
