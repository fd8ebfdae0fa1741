/** Runs in workerd: the workflows fragment in a Durable Object, whose storage is the database of that and of another fragment. */
import { DurableObject } from "cloudflare:workers";
import { handler, host, type ObjectHost, type ObjectNamespace } from "@escapement/cloudflare";
import { createDurableObjectDatabase } from "@escapement/db/durable-object";
import {
  createFragnoAdapter,
  createWorkflowsFragment,
  defaultFragnoRuntime,
  defineWorkflow,
} from "@escapement/fragno";
import { defineFragment, instantiate } from "@fragno-dev/core";
import { migrate, withDatabase } from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";

const ledgerSchema = schema((s) =>
  s.addTable("entry", (t) => t.addColumn("id", idColumn()).addColumn("orderId", column("string"))),
);
const ledgerDefinition = defineFragment("ledger")
  .extend(withDatabase(ledgerSchema, "ledger"))
  .build();

const ORDER = defineWorkflow({ name: "order" }, async ({ instanceId }, step) => {
  await step.sleep("settle", 200);
  await step.do("book", (tx) =>
    tx.mutate(({ forSchema }) => {
      forSchema(ledgerSchema).create("entry", { orderId: instanceId });
    }),
  );
  return "booked";
});

interface Env {
  readonly WORKFLOWS: ObjectNamespace;
}

export class Workflows extends DurableObject<Env> {
  readonly #host = host(this.ctx, (platform) => {
    const database = createDurableObjectDatabase(this.ctx.storage);
    const databaseAdapter = createFragnoAdapter({ database });
    const workflows = createWorkflowsFragment(
      { workflows: { ORDER }, runtime: defaultFragnoRuntime, platform, http: { open: true } },
      { databaseAdapter },
    );
    const ledger = instantiate(ledgerDefinition)
      .withConfig({})
      .withOptions({ databaseAdapter })
      .build();
    void this.ctx.blockConcurrencyWhile(async () => {
      await migrate(workflows);
      await migrate(ledger);
    });
    return { fetch: (request: Request) => workflows.handler(request) };
  });

  async fetch(request: Request): Promise<Response> {
    if (!request.url.endsWith("/ledger")) return this.#host.fetch(request);
    const { sql } = this.ctx.storage;
    const [table] = sql.exec("select name from sqlite_master where name like 'entry%'").toArray();
    const { name } = table as { readonly name: string };
    return Response.json(sql.exec(`select "orderId" from "${name}"`).toArray());
  }

  alarm(): Promise<void> {
    return this.#host.alarm();
  }

  tick(): ReturnType<ObjectHost["tick"]> {
    return this.#host.tick();
  }
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handler from there
export default handler<Env>({ objects: (env) => env.WORKFLOWS });
