/** Runs in Node 24 and in Deno: orders and their instances in transactions of `node:sqlite`. Answers with what came of it. */
import { DatabaseSync } from "node:sqlite";
import { createEngine, defineWorkflow, WorkflowError } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { listen } from "./listen.ts";

const [path = ""] = process.argv.slice(2);

const order = defineWorkflow({ name: "order" }, async (_event, step) => {
  return (await step.waitForEvent("paid", { type: "paid" })).payload;
});

const store = sqlite(path);
await store.migrate();
const engine = createEngine({ workflows: { ORDER: order }, store });
const connection = new DatabaseSync(path);
connection.exec("create table orders (id text primary key)");
const insertOrder = (id: string): unknown =>
  connection.prepare("insert into orders values (?)").run(id);

/** Code of the error that the work is refused with. */
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: unknown) => (WorkflowError.is(error) ? error.code : String(error)),
  );

async function createOrder(id: string): Promise<string> {
  insertOrder(id);
  const { ORDER } = engine.with(connection).workflows;
  await ORDER.create({ id });
  return codeOf(ORDER.create({ id }));
}

const { ORDER } = engine.workflows;
const outside = await codeOf(engine.with(connection).workflows.ORDER.create({ id: "outside" }));

connection.exec("begin immediate");
await createOrder("rolled-back");
connection.exec("rollback");

connection.exec("begin immediate");
const again = await createOrder("committed");
insertOrder("after-a-refusal");
connection.exec("commit");

await engine.tick();
const event = { type: "paid", payload: { by: "card" } };
for (const end of ["rollback", "commit"]) {
  connection.exec("begin immediate");
  await engine.with(connection).sendEvent("order", "committed", event);
  connection.exec(end);
  await engine.tick();
  if (end === "rollback") {
    const { status } = await (await ORDER.get("committed")).status();
    if (status !== "waiting") throw new Error(`an event that was rolled back: ${status}`);
  }
}

const answer = {
  outside,
  again,
  orders: connection.prepare("select id from orders order by id").all(),
  rolledBack: await codeOf(ORDER.get("rolled-back")),
  committed: await (await ORDER.get("committed")).status(),
};
listen(() => Promise.resolve(Response.json(answer)));
