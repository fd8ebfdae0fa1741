/** `ask` and `getReply` inside a caller's transaction, on Postgres. */
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import pg from "pg";
import { expect, test } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { postgres } from "./postgres.ts";

test("S6-014 within a transaction a reply may be read and not waited for, and a question is not even sent", async () => {
  const { url, drop } = await createPostgresDatabase();
  const client = new pg.Client({ connectionString: url });
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    const [event] = await step.receive("in", { types: ["ask"] });
    event?.reply(1);
  });
  const engine = createEngine({ workflows: { W }, store: postgres(url) });
  const refused = { code: "TRANSACTION_UNUSABLE" };
  try {
    await engine.workflows.W.create({ id: "x" });
    await client.connect();
    await client.query("begin");
    const within = engine.with(client);
    const instance = await within.workflows.W.get("x");
    await expect(instance.ask({ type: "ask" })).rejects.toMatchObject(refused);
    expect((await engine.listHistory("w", "x", {})).events).toEqual([]);
    await instance.sendEvent({ type: "ask", eventId: "q" });
    expect(await within.getReply("w", "x", "q")).toEqual({ answered: false });
    await expect(within.getReply("w", "x", "q", { waitMs: 1 })).rejects.toMatchObject(refused);
    await client.query("commit");
    await engine.tick();
    expect(await within.getReply("w", "x", "q").catch(() => "over")).toBe("over");
    expect(await engine.getReply("w", "x", "q")).toEqual({ answered: true, reply: 1 });
  } finally {
    await client.end();
    await engine.close();
    await drop();
  }
});
