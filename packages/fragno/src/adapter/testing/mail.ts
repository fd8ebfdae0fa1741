/** A fragment with a hook, for the tests of this folder: letters that are to be delivered after their commit. */
import { defineFragment, defineRoutes, instantiate } from "@fragno-dev/core";
import { migrate, withDatabase } from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";
import type { FragnoAdapter } from "../adapter.ts";

export const mailSchema = schema((s) =>
  s.addTable("letter", (t) =>
    t
      .addColumn("id", idColumn())
      .addColumn("to", column("string"))
      .addColumn("seen", column("integer").defaultTo(0))
      .createIndex("idx_to", ["to"]),
  ),
);

/** For the types of hooks that are triggered from outside the fragment. */
export const mailHooks = {} as { onLetter: (payload: { to: string }) => void };

/** The arguments of a call of the hook. */
export interface Delivery {
  readonly to: string;
  readonly idempotencyKey: string;
}

interface MailConfig {
  /** The work of the hook. */
  readonly deliver: (delivery: Delivery) => void | Promise<void>;
}

const mailDefinition = defineFragment<MailConfig>("mail")
  .extend(withDatabase(mailSchema))
  .provideHooks(({ defineHook, config }) => ({
    onLetter: defineHook(async function (payload: { to: string }) {
      await config.deliver({ to: payload.to, idempotencyKey: this.idempotencyKey });
    }),
  }))
  .providesBaseService(({ defineService }) =>
    defineService({
      /** Writes a letter; its hook is filed in the same transaction. */
      send(to: string, id?: string) {
        return this.serviceTx(mailSchema)
          .mutate(({ uow }) => {
            uow.triggerHook("onLetter", { to });
            return uow.create("letter", id === undefined ? { to } : { id, to });
          })
          .build();
      },
      /** The letters to one recipient. */
      list(to: string) {
        return this.serviceTx(mailSchema)
          .retrieve((uow) =>
            uow.find("letter", (b) => b.whereIndex("idx_to", (eb) => eb("to", "=", to))),
          )
          .transformRetrieve(([letters]) => letters)
          .build();
      },
    }),
  )
  .build();

const mailRoutes = defineRoutes(mailDefinition).create(({ defineRoute, services }) => [
  defineRoute({
    method: "POST",
    path: "/letters/:id",
    async handler({ pathParams }, { json }) {
      await this.handlerTx()
        .withServiceCalls(() => [services.send("anybody", pathParams.id)] as const)
        .execute();
      return json({ id: pathParams.id });
    },
  }),
]);

/** The fragment, with its tables. */
export async function openMail(databaseAdapter: FragnoAdapter, deliver: MailConfig["deliver"]) {
  const mail = instantiate(mailDefinition)
    .withConfig({ deliver })
    .withRoutes([mailRoutes])
    .withOptions({ databaseAdapter })
    .build();
  await migrate(mail);
  return mail;
}

export type Mail = Awaited<ReturnType<typeof openMail>>;

/** Sends one letter in its own request. */
export function sendLetter(mail: Mail, to: string, id?: string): Promise<unknown> {
  return mail.inContext(function () {
    return this.handlerTx()
      .withServiceCalls(() => [mail.services.send(to, id)] as const)
      .execute();
  });
}
