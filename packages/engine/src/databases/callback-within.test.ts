/** A callback's payload inside a caller's transaction, on Postgres. */
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import pg from "pg";
import { expect, test } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { postgres } from "./postgres.ts";

test("S6-016 a callback's payload commits with the caller's transaction, and a refusal leaves that as it was", async () => {
  const { url, drop } = await createPostgresDatabase();
  const store = postgres(url);
  const client = new pg.Client({ connectionString: url });
  const tokens: string[] = [];
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    const { token, payload } = await step.callback("a");
    tokens.push(token);
    return payload();
  });
  const engine = createEngine({
    workflows: { W },
    store,
    callbacks: { signingKeys: ["a-key-of-at-least-32-characters-or-more"], url: "http://app/api" },
  });
  try {
    await engine.workflows.W.create({ id: "x" });
    await engine.tick();
    const [token = ""] = tokens;
    await client.connect();
    await client.query("create table note (id text)");
    for (const end of ["rollback", "commit"]) {
      await client.query("begin");
      await engine.with(client).completeCallback(token, { by: end });
      await expect(engine.with(client).completeCallback(token, 2)).rejects.toMatchObject({
        code: "CALLBACK_USED",
      });
      await client.query("insert into note values ($1)", [end]);
      await client.query(end);
    }
    await engine.tick();
    expect((await engine.getInstance("w", "x")).details).toMatchObject({
      status: "complete",
      output: { by: "commit" },
    });
    expect((await client.query("select id from note")).rows).toEqual([{ id: "commit" }]);
  } finally {
    await client.end();
    await engine.close();
    await drop();
  }
});
